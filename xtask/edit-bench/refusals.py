"""T6: edits that nothing decides, and edits that the order alone decides."""

import json
import re

import labels
from align import key_exact
from labels import no_reading
from context import pin
from sketches import Chunk, layout, marker_line, parse_sketch
from text import indent_of, join_text

IDENT = re.compile(r"[A-Za-z_][A-Za-z_0-9]{3,}")


def add_refusals(edit, others):
    for name, sketch, patches in edit.undecided[:1]:
        edit.add("T6d", sketch, sub="natural-" + name, expect="decline", peers=patches)
    if edit.t0:
        _add_unreadable(edit, others)
    if edit.ordered:
        name, sketch, patches, ref = edit.ordered[-1]
        edit.add("T6a", sketch, sub=name, ref=ref, peers=patches)
    if edit.rng.random() < .4:
        _add_duplicate(edit)


def _add_unreadable(edit, others):
    """The first made-up sketch that has no reading at all."""
    common, rare = [_stale, _foreign], [_crossed, _order, _noanchor]
    edit.rng.shuffle(common)
    edit.rng.shuffle(rare)
    for make in rare + common if edit.rng.random() < .7 else common + rare:
        made = make(edit, others)
        if not made:
            continue
        sketch, patches = made
        parsed = parse_sketch(sketch)
        if parsed.chunks and no_reading(edit.original, parsed):
            edit.add("T6d", sketch, sub=make.__name__[1:], expect="decline", peers=patches)
            return


def _stale(edit, _others):
    """The context on one side of a chunk is not in the file."""
    a, t0, rng = edit.a, edit.t0, edit.rng
    ci = rng.choice([i for i, c in enumerate(t0.chunks) if c.changed()])
    chunk = t0.chunks[ci]
    before, _, after = chunk.split()
    sides = []
    if before and (ci > 0 or t0.lead):
        sides.append((before, 0))
    if after and (ci < len(t0.chunks) - 1 or t0.trail):
        sides.append((after, -1))
    if not sides:
        return None
    side, outer = rng.choice(sides)
    names = sorted({name for line in a for name in IDENT.findall(line)})
    if len(names) < 10:
        return None
    changed = {}
    for _, at in side:
        line = a[at]
        found = IDENT.findall(line)
        if found:
            name = rng.choice(found)
            changed[at] = line.replace(name, name + "_" + rng.choice(names), 1)
        elif line.strip():
            changed[at] = line + " " + rng.choice(names)
    if len(changed) < 2:
        return None

    def old(row, k):
        return changed.get(row[1], a[row[1]]) if k == ci else a[row[1]]
    shown = edit.shown(t0.chunks, old)
    # blank context lines at the outer end are in the file still
    while shown[ci] and not shown[ci][outer].strip():
        shown[ci].pop(outer)
    return edit.sketch(shown, t0.lead, t0.trail), edit.patches(t0.chunks, old)


def _foreign(edit, others):
    """A sketch for another file."""
    if not others:
        return None
    case, sketch, patches = edit.rng.choice(others)
    if case["path"] == edit.path:
        return None
    was, now = (json.dumps(path)[1:-1] for path in (case["path"], edit.path))
    return sketch, json.loads(json.dumps(patches).replace(was, now))


def _crossed(edit, _others):
    """The context after the change stands before it."""
    t0 = edit.t0
    if len(t0.chunks) != 1 or not (t0.lead and t0.trail):
        return None
    chunk = t0.chunks[0]
    before, change, after = chunk.split()
    if not before or not after:
        return None
    crossed = [Chunk(chunk.s, chunk.e, after + change + before)]
    return edit.sketch(edit.shown(crossed), True, True), edit.patches(crossed)


def _order(edit, _others):
    """The chunks in reverse."""
    if len(edit.t0.chunks) < 2:
        return None
    return edit.sketch(edit.shown(edit.t0.chunks[::-1]), True, True), None


def _noanchor(edit, _others):
    """New lines and no context."""
    if len(edit.hunks) != 1 or edit.hunks[0][0] != edit.hunks[0][1]:
        return None
    body = edit.b[edit.hunks[0][2]:edit.hunks[0][3]]
    if sum(1 for x in body if x.strip()) < 3:
        return None
    marker = marker_line(edit.lang)
    return "\n".join([marker] + body + [marker]) + "\n", None


def _add_duplicate(edit):
    """A made edit: a line put where the text round it stands repeatedly; and
    the same with lines that settle it."""
    made = _insertion_at_repeated_lines(edit)
    if not made:
        return
    b, hunk, keep = made

    def new(row, _chunk):
        return b[row[1]]

    def symmetric(lay):
        return labels.symmetric(edit.original, b, lay.chunks, lay.lead, lay.trail, b)
    lay = layout(len(edit.a), [hunk], keep)
    if not (lay.lead and lay.trail and symmetric(lay)[0]):
        return
    edit.add("T6d", edit.sketch(edit.shown(lay.chunks, new=new), True, True), sub="dup",
             expect="decline", peers=edit.patches(lay.chunks, new=new))
    pinned = pin(edit.a, [hunk], keep)
    if not pinned:
        return
    lay = layout(len(edit.a), [hunk], pinned)
    ambiguous, repeated = symmetric(lay)
    if not ambiguous and repeated:
        sketch = edit.sketch(edit.shown(lay.chunks, new=new), lay.lead, lay.trail)
        ref = labels.ref_label(edit.original, parse_sketch(sketch), b, 1, key_exact)
        eol = "\r\n" if edit.case["eol"] == "crlf" else "\n"
        edit.add("T6a", sketch, sub="dup-pinned", ref=ref,
                 target=join_text(b, edit.case["final_nl"], eol),
                 peers=edit.patches(lay.chunks, new=new))


def _insertion_at_repeated_lines(edit):
    """-> (target, hunk, kept lines) or None"""
    a, rng = edit.a, edit.rng
    new = [edit.b[j] for h in edit.hunks for j in range(h[2], h[3]) if edit.b[j].strip()]
    if not new:
        return None
    pairs = {}
    for i in range(1, len(a) - 2):
        if a[i].strip() and a[i + 1].strip() and len(a[i].strip()) + len(a[i + 1].strip()) >= 16:
            pairs.setdefault((a[i], a[i + 1]), []).append(i)
    repeated = sorted((v for v in pairs.values() if len(v) > 1), key=lambda v: v[0])
    if not repeated:
        return None
    i = rng.choice(rng.choice(repeated))
    line = indent_of(a[i + 1]) + rng.choice(new).lstrip(" \t")
    if line in (a[i], a[i + 1]):
        return None
    return a[:i + 1] + [line] + a[i + 1:], (i + 1, i + 1, i + 1, i + 2), {i, i + 1}
