"""Which unchanged lines an edit is shown with."""

from languages import BRACED, CLOSER, DEF
from sketches import lines_of_hunks
from text import indent_of, width


def keep_n(a, hunks, n):
    """`n` lines on each side of every hunk."""
    keep = set()
    for a0, a1, _, _ in hunks:
        keep.update(range(max(0, a0 - n), a0))
        keep.update(range(a1, min(len(a), a1 + n)))
    return keep


def keep_nonblank(a, hunks, n=1, m=1):
    """Up to the n-th line before and the m-th after that is not blank."""
    keep = set()
    for a0, a1, _, _ in hunks:
        i, got = a0 - 1, 0
        while i >= 0 and got < n:
            keep.add(i)
            got += bool(a[i].strip())
            i -= 1
        i, got = a1, 0
        while i < len(a) and got < m:
            keep.add(i)
            got += bool(a[i].strip())
            i += 1
    return keep


def scope_of(a, at, ind, lang):
    """Enclosing definition of line position `at` at indent `ind`:
    (sig0, sig1, close or None)."""
    d = DEF.get(lang)
    if d is None:
        return None
    cur = ind
    i = at - 1
    while i >= 0:
        x = a[i]
        if x.strip():
            w = width(indent_of(x))
            if w < cur:
                if CLOSER.match(x) or x.strip() == "{":
                    cur = w + 1
                elif d.match(x) and not x.rstrip().endswith(";"):
                    break
                else:
                    cur = w
                    if w == 0:
                        return None
        i -= 1
    if i < 0:
        return None
    sig0 = i
    w0 = width(indent_of(a[sig0]))
    depth = 0
    sig1 = None
    for j in range(sig0, min(sig0 + 7, at)):
        t = a[j]
        depth += t.count("(") - t.count(")") + t.count("[") - t.count("]")
        s = t.rstrip()
        if depth <= 0:
            if lang in BRACED:
                if s.endswith("{") or "{" in s:
                    sig1 = j + 1
                    break
            elif lang == "python":
                if s.endswith(":"):
                    sig1 = j + 1
                    break
            else:
                sig1 = j + 1
                break
    if sig1 is None or sig1 > at:
        return None
    close = None
    if lang != "python":
        for j in range(at, len(a)):
            x = a[j]
            if x.strip() and width(indent_of(x)) <= w0:
                if width(indent_of(x)) == w0 and CLOSER.match(x):
                    close = j
                break
    return sig0, sig1, close


def keep_scope(a, b, hunks, lang, rng):
    """A line or two on each side, with the first and the closing line of the
    enclosing definition.  -> (lines, scope of each hunk, is there any?)"""
    keep = set()
    scopes = []
    any_scope = False
    for h in hunks:
        a0, a1, b0, b1 = h
        body = [x for x in a[a0:a1] if x.strip()] or [x for x in b[b0:b1] if x.strip()]
        ind = min((width(indent_of(x)) for x in body), default=0)
        sc = scope_of(a, a0, ind, lang) if ind else None
        if sc and sc[2] is not None and sc[2] < a1:
            sc = None
        keep |= keep_nonblank(a, [h], rng.choice((1, 1, 2)), rng.choice((1, 1, 2)))
        scopes.append(sc)
        if sc:
            any_scope = True
            keep.update(range(sc[0], sc[1]))
            if sc[2] is not None:
                keep.add(sc[2])
        else:
            d = DEF.get(lang)
            # a whole definition put between siblings: name the sibling before
            i = a0 - 1
            while i >= 0 and not a[i].strip():
                i -= 1
            if d and i >= 0 and a0 == a1 and CLOSER.match(a[i]):
                w = width(indent_of(a[i]))
                for j in range(i - 1, max(-1, i - 400), -1):
                    if a[j].strip() and width(indent_of(a[j])) <= w:
                        if not CLOSER.match(a[j]) and a[j].strip() != "{":
                            if d.match(a[j]) and width(indent_of(a[j])) == w:
                                keep.add(j)
                                any_scope = True
                            break
    return keep - lines_of_hunks(hunks), scopes, any_scope


def pin(a, hunks, keep):
    """`keep` with, round every hunk, the nearest lines that stand only once;
    None when there are no others."""
    count = {}
    for x in a:
        count[x] = count.get(x, 0) + 1
    inh = lines_of_hunks(hunks)
    out = set(keep)
    for a0, a1, _, _ in hunks:
        for side in (range(a0 - 1, -1, -1), range(a1, len(a))):
            for i in side:
                if i in inh:
                    break
                if i not in keep and count[a[i]] == 1 and len(a[i].strip()) >= 6:
                    out.add(i)
                    break
    return out if out != keep else None
