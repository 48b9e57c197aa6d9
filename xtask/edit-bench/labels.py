"""Which edits have one right answer."""

from align import BASE, P61, Original, TooBig, align, key_exact, key_ws


def find_windows(orig, win, key):
    """Positions where the window of original lines occurs."""
    per, pos = orig.classes(key)
    kw = [key(x) for x in win]
    n, m = len(per), len(kw)
    # start from the rarest line
    r = min(range(m), key=lambda i: len(pos.get(kw[i], ())))
    out = []
    for p in pos.get(kw[r], ()):
        s = p - r
        if s >= 0 and s + m <= n and per[s:s + m] == kw:
            out.append(s)
    return out


def symmetric(orig, b, chunks, lead, trail, target, key=key_exact, lazy=False,
              within=None):
    """-> (ambiguous, repeated).  ambiguous: a second set of places, where the
    very same original text stands, gives a different result.  within: per
    chunk (lo, hi) limits on the place."""
    a = orig.lines
    n = len(a)
    cand = []
    for i, c in enumerate(chunks):
        if c.s == c.e:
            return False, False
        # an end without a marker is free only when lazy ends are read and
        # the line at that end is a kept one
        if i == 0 and not lead and not (lazy and c.rows[0][0] == "k"):
            ps = [c.s]
        elif i == len(chunks) - 1 and not trail and \
                not (lazy and c.rows[-1][0] == "k"):
            ps = [c.s]
        else:
            ps = find_windows(orig, a[c.s:c.e], key)
        if within and within[i]:
            lo, hi = within[i]
            ps = [p for p in ps if p >= lo and p + c.e - c.s <= hi]
        cand.append(ps)
    repeated = any(len(p) > 1 for p in cand)
    if not repeated:
        return False, False
    m = len(chunks)
    ln = [c.e - c.s for c in chunks]
    # earliest and latest feasible places
    early = [None] * m
    lo = 1 if lead else 0
    for i in range(m):
        early[i] = next((p for p in cand[i] if p >= lo), None)
        if early[i] is None:
            return False, repeated
        lo = early[i] + ln[i] + 1
    late = [None] * m
    hi = n - (1 if trail else 0)
    for i in range(m - 1, -1, -1):
        late[i] = next((p for p in reversed(cand[i]) if p + ln[i] <= hi), None)
        hi = late[i] - 1
    tries = 0
    for i in range(m):
        lo = early[i - 1] + ln[i - 1] + 1 if i else (1 if lead else 0)
        hi = late[i + 1] - 1 if i < m - 1 else n - (1 if trail else 0)
        for p in cand[i]:
            if p == chunks[i].s or p < lo or p + ln[i] > hi:
                continue
            places = [c.s for c in chunks]
            places[i] = p
            for k in range(i - 1, -1, -1):
                if places[k] + ln[k] + 1 > places[k + 1]:
                    places[k] = early[k]
            for k in range(i + 1, m):
                if places[k - 1] + ln[k - 1] + 1 > places[k]:
                    places[k] = late[k]
            out, at = [], 0
            for c, q in zip(chunks, places):
                out += a[at:q]
                for r in c.rows:
                    if r[0] == "k":
                        out.append(a[q + r[1] - c.s])
                    elif r[0] == "n":
                        out.append(b[r[1]])
                at = q + c.e - c.s
            out += a[at:]
            if out != target:
                return True, repeated
            tries += 1
            if tries > 60:
                return False, repeated
    return False, repeated


def hash_lines(orig, lines):
    h = 0
    for x in lines:
        h = (h * BASE + orig.id_of(x)) % P61
    return h


def ref_label(orig, sk, target, cost, key):
    """det: the intended result is the only cheapest reading; tie: another
    reading costs the same; misleading: another reading is cheaper.  With a
    white-space key, places are compared and not the white space they get."""
    if key is not key_exact:
        orig = Original([key(x) for x in orig.lines])
        sk.chunks = [[key(x) for x in c] for c in sk.chunks]
        target = [key(x) for x in target]
    try:
        got = align(orig, sk.chunks, sk.lead, sk.trail, key=key, bound=cost,
                    max_states=400_000)
    except TooBig:
        return "big"
    want = hash_lines(orig, target)
    mine = [g[0] for g in got if g[1] == want]
    other = [g[0] for g in got if g[1] != want]
    if not mine:
        return "misleading" if other else "none"
    if not other or min(other) > mine[0]:
        return "det"
    return "tie" if min(other) == mine[0] else "misleading"


def no_reading(orig, sk):
    """True when no reading exists at all, white space ignored."""
    try:
        return not align(orig, sk.chunks, sk.lead, sk.trail, key=key_ws, gap=0,
                         drop_noop=False, max_states=1_500_000)
    except TooBig:
        return False
