"""T4: an edit as models write it, inside the definition that encloses it."""

from context import keep_scope
from sketches import Layout
from text import indent_of, width


def add_scoped(edit):
    keep, scopes, any_scope = keep_scope(edit.a, edit.b, edit.hunks, edit.lang, edit.rng)
    if not any_scope:
        return
    lay = edit.layout(keep)
    shown = edit.shown(lay.chunks)
    if not all(shown):
        return
    # end markers are left out at times
    no_lead = lay.lead and edit.rng.random() < .4
    no_trail = lay.trail and edit.rng.random() < .4
    open_ended = Layout(lay.chunks, lay.lead and not no_lead, lay.trail and not no_trail)
    scoped = False
    if edit.symmetric(open_ended)[0]:
        within = _limits(edit, lay.chunks, scopes)
        if edit.symmetric(open_ended, within=within)[0]:
            return
        scoped = True
    sketch = edit.sketch(shown, open_ended.lead, open_ended.trail)
    ref = edit.ref(sketch)
    edit.add("T4", sketch, sub="scoped" if scoped else "", ref=ref, chunks=len(lay.chunks),
             peers=edit.patches(lay.chunks, headers=_headers(edit, lay.chunks, scopes)))


def _limits(edit, chunks, scopes):
    """Per chunk where it may stand: a change inside the definition that
    encloses it, all else where it is."""
    return [_limit(edit, c, scopes) or (c.s, c.e) for c in chunks]


def _limit(edit, c, scopes):
    a, limit = edit.a, None
    for h, scope in zip(edit.hunks, scopes):
        if not (scope and c.s <= h[0] and h[1] <= c.e and c.changed() and c.s > scope[0]):
            continue
        first, after_signature, close = scope
        if close is not None:
            end = close + 1
        else:
            margin = width(indent_of(a[first]))
            outside = (j + 1 for j in range(h[1], len(a))
                       if a[j].strip() and width(indent_of(a[j])) <= margin)
            end = next(outside, len(a))
        limit = (after_signature, max(end, c.e))
    return limit


def _headers(edit, chunks, scopes):
    """The signature above each chunk, where it stands past the chunk before."""
    headers, at = [], 0
    for c in chunks:
        headers.append(next(
            (edit.a[scope[0]].strip() for h, scope in zip(edit.hunks, scopes)
             if scope and c.s <= h[0] and h[1] <= c.e and at <= scope[0] < c.s), None))
        if c.changed():
            at = c.e
    return headers
