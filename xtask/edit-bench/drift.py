"""T3 and T3u: the white space of a sketch has drifted."""

import os

from align import key_ws
from text import indent_of


def drift_of(kind, unit, context):
    """A function line -> drifted line for the context lines of one chunk, or
    None when this drift would change nothing."""
    body = [x for x in context if x.strip()]
    if not body:
        return None
    if kind == "indent":
        if all(x.startswith(unit) for x in body):
            return lambda x: x.removeprefix(unit)
        return lambda x: unit + x if x.strip() else x
    if kind == "tabs":
        if not any(indent_of(x) for x in body):
            return None
        if any("\t" in indent_of(x) for x in body):
            return lambda x: indent_of(x).replace("\t", "    ") + x.lstrip(" \t") if x.strip() else x
        step = len(unit)

        def tabbed(x):
            if not x.strip():
                return x
            w = len(indent_of(x))
            return "\t" * (w // step) + " " * (w % step) + x.lstrip(" ")
        return None if all(tabbed(x) == x for x in body) else tabbed
    if all(x == x.rstrip() for x in context):
        return None
    return lambda x: x.rstrip()


def add_drifted(edit):
    a, b, chunks = edit.a, edit.b, edit.t0.chunks
    # a new line that differs from a deleted one in white space alone has no
    # one right answer under drift
    for c in chunks:
        deleted = {key_ws(a[r[1]]) for r in c.rows if r[0] == "d"}
        if any(r[0] == "n" and b[r[1]].strip() and key_ws(b[r[1]]) in deleted for r in c.rows):
            return
    if edit.symmetric(edit.t0, key=key_ws)[0]:
        return
    _add_context_drift(edit)
    _add_dedent(edit)


def _add_context_drift(edit):
    """T3: the context lines alone."""
    a, t0, rng = edit.a, edit.t0, edit.rng
    kinds = ["indent", "tabs", "trail"]
    rng.shuffle(kinds)
    if rng.random() < .8:
        kinds.remove("trail")
        kinds.insert(0, "trail")    # rarely possible: it is tried first
    plain = edit.shown(t0.chunks)
    for kind in kinds:
        drifts = [drift_of(kind, edit.unit, [a[r[1]] for r in c.rows if r[0] == "k"])
                  for c in t0.chunks]

        def old(row, ci):
            return drifts[ci](a[row[1]]) if drifts[ci] else a[row[1]]
        shown = edit.shown(t0.chunks, old)
        if shown == plain:
            continue
        sketch = edit.sketch(shown, t0.lead, t0.trail)
        edit.add("T3", sketch, sub=kind, ref=edit.ref(sketch, key_ws), chunks=len(t0.chunks),
                 peers=edit.patches(t0.chunks, old))
        return


def _add_dedent(edit):
    """T3u: whole chunks, moved to the left margin."""
    a, b, t0 = edit.a, edit.b, edit.t0
    cuts = []
    for c in t0.chunks:
        lines = [(b if r[0] == "n" else a)[r[1]] for r in c.rows]
        cuts.append(os.path.commonprefix([indent_of(x) for x in lines if x.strip()]))
    # white space on a new blank line would be lost for good
    lost = any(r[0] == "n" and not b[r[1]].strip() and b[r[1]] != ""
               for c in t0.chunks for r in c.rows)
    if lost or not any(cuts):
        return

    def cut(x, ci):
        return x[len(cuts[ci]):] if x.strip() else ""

    def old(row, ci):
        return cut(a[row[1]], ci)

    def new(row, ci):
        return cut(b[row[1]], ci)
    sketch = edit.sketch(edit.shown(t0.chunks, old, new), t0.lead, t0.trail)
    edit.add("T3u", sketch, sub="dedent", ref=edit.ref(sketch, key_ws), chunks=len(t0.chunks),
             peers=edit.patches(t0.chunks, old, new))
