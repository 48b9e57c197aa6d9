"""The items of one edit: every way in which it is written down."""

import labels
from align import Original, key_exact
from context import keep_n, keep_nonblank, pin
from drift import add_drifted
from formats import peer_formats
from refusals import add_refusals
from scope import add_scoped
from sketches import layout, lines_of_hunks, parse_sketch, write_sketch
from text import unit_of


class Edit:
    """One edit of a corpus, and the items made of it so far."""

    def __init__(self, case, a, b, hunks, rng):
        self.case, self.a, self.b, self.hunks, self.rng = case, a, b, hunks, rng
        self.lang, self.path = case["lang"], case["path"]
        self.original = Original(a)
        self.cost = sum(a1 - a0 + b1 - b0 for a0, a1, b0, b1 in hunks)
        self.unit = unit_of(a)
        self.subject = case["subject"][:160]
        self.in_hunk = lines_of_hunks(hunks)
        self.t0 = None          # the layout of T0
        self.undecided = []     # (name, sketch, patches): two readings, nothing decides
        self.ordered = []       # (name, sketch, patches, ref): the order decides
        self.items = []

    def old(self, row, _chunk):
        return self.a[row[1]]

    def new(self, row, _chunk):
        return self.b[row[1]]

    def layout(self, keep):
        return layout(len(self.a), self.hunks, keep)

    def shown(self, chunks, old=None, new=None):
        """The lines of every chunk that a sketch shows."""
        old, new = old or self.old, new or self.new
        return [[(old if r[0] == "k" else new)(r, i) for r in c.rows if r[0] != "d"]
                for i, c in enumerate(chunks)]

    def sketch(self, shown, lead, trail):
        return write_sketch(shown, lead, trail, self.lang, self.unit)

    def patches(self, chunks, old=None, new=None, headers=None):
        return peer_formats(chunks, self.path, old or self.old, new or self.new, self.rng, headers)

    def symmetric(self, lay, **limits):
        return labels.symmetric(self.original, self.b, lay.chunks, lay.lead, lay.trail, self.b,
                                **limits)

    def ref(self, sketch, key=key_exact):
        return labels.ref_label(self.original, parse_sketch(sketch), self.b, self.cost, key)

    def add(self, tier, sketch, sub="", expect="apply", ref="", peers=None, **more):
        suffix = "-" + sub if sub and tier != "T4" else ""
        self.items.append({
            "id": "%s/%s%s" % (self.case["id"], tier, suffix), "case": self.case["id"],
            "tier": tier, "sub": sub, "expect": expect, "ref": ref,
            "instructions": self.subject, "sketch": sketch, "peers": peers, **more})


def make_items(case, a, b, hunks, rng, others):
    """The items of an edit; `others` are sketches of other files in the same
    language, to which that of this edit is added."""
    edit = Edit(case, a, b, hunks, rng)
    # the last form, leaner than T1 where lines are blank, serves T6 alone
    for name, keep in (("T0", keep_n(a, hunks, 3)), ("T1", keep_nonblank(a, hunks)),
                       ("T1r", keep_n(a, hunks, 1))):
        _add_plain(edit, name, keep - edit.in_hunk)
    if edit.t0:
        add_drifted(edit)
    add_scoped(edit)
    if len(b) >= 0.6 * len(a) and edit.cost < 0.5 * len(a):
        edit.add("T5", "\n".join(b) + "\n", ref="det", chunks=1)
    add_refusals(edit, others)
    if edit.t0:
        t0 = edit.t0
        sketch = next((i["sketch"] for i in edit.items if i["tier"] == "T0"), None)
        others.append((case, sketch or edit.sketch(edit.shown(t0.chunks), t0.lead, t0.trail),
                       edit.patches(t0.chunks)))
        if len(others) > 40:
            others.pop(0)
    return edit.items


def _add_plain(edit, name, keep):
    """T0 and T1, T2 out of T0, and what is found for T6 on the way."""
    lay = edit.layout(keep)
    shown = edit.shown(lay.chunks)
    if any(not s for s in shown):
        return      # a chunk that shows nothing: a deletion at the file's edge
    sketch = edit.sketch(shown, lay.lead, lay.trail)
    if name == "T0":
        edit.t0 = lay
    ambiguous, repeated = edit.symmetric(lay)
    patches = edit.patches(lay.chunks)
    if ambiguous:
        edit.undecided.append((name, sketch, patches))
        _pin(edit, name, keep)
    else:
        ref = edit.ref(sketch)
        if name != "T1r":
            edit.add(name, sketch, ref=ref, peers=patches, chunks=len(lay.chunks), **_edge(lay))
        if repeated and ref == "det":
            edit.ordered.append(("order-" + name, sketch, patches, ref))
    if name == "T0" and (lay.lead or lay.trail):
        _add_lazy_ends(edit, lay, shown)


def _pin(edit, name, keep):
    """A sketch that nothing decides, with lines that settle it."""
    pinned = pin(edit.a, edit.hunks, keep)
    if not pinned:
        return
    lay = edit.layout(pinned)
    shown = edit.shown(lay.chunks)
    ambiguous, repeated = edit.symmetric(lay)
    if all(shown) and not ambiguous and repeated:
        edit.ordered.append(("pinned-" + name, edit.sketch(shown, lay.lead, lay.trail),
                             edit.patches(lay.chunks), ""))


def _add_lazy_ends(edit, lay, shown):
    """T2: a sketch without its first and last marker."""
    if len(lay.chunks) == 1 and sum(map(len, shown)) > 0.4 * len(edit.a):
        return
    sketch = edit.sketch(shown, False, False)
    if edit.symmetric(lay, lazy=True)[0]:
        edit.undecided.append(("T2", sketch, None))
        return
    # an end at the file's edge keeps its strict sense
    first = lay.chunks[0]
    if lay.lead or first.rows[0][0] == "k" or first.s == 0:
        edit.add("T2", sketch, ref=edit.ref(sketch), chunks=len(lay.chunks), **_edge(lay))


def _edge(lay):
    """Whether the first or last lines of the file are deleted."""
    edge = (not lay.lead and lay.chunks[0].rows[0][0] == "d") or \
           (not lay.trail and lay.chunks[-1].rows[-1][0] == "d")
    return {"edge_delete": True} if edge else {}
