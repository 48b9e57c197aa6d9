"""Which readings a sketch has: every placement of its chunks, cheapest first.

A reading of a sketch gives every chunk an interval [s, e) of the original
that it stands for; markers stand for the runs between intervals.  Rules:
  * order is kept, intervals do not overlap;
  * a marker stands for at least `gap` original lines, all unchanged;
  * a chunk line next to a marker is kept: it equals the original line at
    that end of the interval ("anchored");
  * with no marker at an end of the sketch the chunk reaches the end of the
    file ("strict"); if `lazy` and the line at that end is kept, the rest of
    the file may instead be left as it is ("lazy end").
The cost of a reading is the number of original lines deleted plus the
number of sketch lines inserted.  The search visits every reading whose cost
is within the bound and returns up to K cheapest readings of distinct RESULT.

It goes line by line through the sketch and keeps, for every position in the
original, entries (cost so far, hash of the result so far, back): `back` is the
chain of what was done, from which `result_lines` builds the result.
"""

P61 = (1 << 61) - 1
BASE = 0x1F3D5B79A2C4E6F1 % P61
INVB = pow(BASE, P61 - 2, P61)
K = 3       # results that are kept


class TooBig(Exception):
    """The search takes more states than it may."""


class Original:
    """A file's lines, prepared: ids of texts, prefix hashes, positions."""

    def __init__(self, lines):
        self.lines = lines
        self.text_id = {}
        self.ids = []
        n = len(lines)
        for x in lines:
            self.ids.append(self.id_of(x))
        self.pre = [0] * (n + 1)
        self.pw = [1] * (n + 1)
        self.ipw = [1] * (n + 1)
        for i in range(n):
            self.pre[i + 1] = (self.pre[i] * BASE + self.ids[i]) % P61
            self.pw[i + 1] = self.pw[i] * BASE % P61
            self.ipw[i + 1] = self.ipw[i] * INVB % P61
        self.cls = {}

    def id_of(self, x):
        i = self.text_id.get(x)
        if i is None:
            # spread ids so that hashes of different texts rarely meet
            i = (len(self.text_id) + 1) * 0x9E3779B97F4A7C15 % P61
            self.text_id[x] = i
        return i

    def classes(self, key):
        """-> (class per line, {class key: [positions]}) for a line key."""
        got = self.cls.get(key)
        if got is None:
            per = [key(x) for x in self.lines]
            pos = {}
            for j, c in enumerate(per):
                pos.setdefault(c, []).append(j)
            got = (per, pos)
            self.cls[key] = got
        return got


def key_exact(x):
    """Lines are equal when their texts are."""
    return x


def key_ws(x):
    """Lines are equal when their texts without white space are."""
    return "".join(x.split())


def _add(entries, e):
    """Keep up to K entries of distinct hash, cheapest first."""
    h = e[1]
    for i, f in enumerate(entries):
        if f[1] == h:
            if e[0] < f[0]:
                entries[i] = e
                entries.sort(key=_cost)
            return
    if len(entries) < K:
        entries.append(e)
        entries.sort(key=_cost)
    elif e[0] < entries[-1][0]:
        entries[-1] = e
        entries.sort(key=_cost)


def _cost(e):
    return e[0]


def align(orig, chunks, lead, trail, key=key_exact, lazy=True, gap=1, bound=None,
          drop_noop=True, max_states=4_000_000):
    """-> [(cost, result hash, back)] of the cheapest distinct results whose
    cost is <= bound (bound None: deepened until at least one reading is found
    or none can exist)."""
    if not chunks:
        return []
    search = _Search(orig, chunks, lead, trail, key, lazy, gap, max_states)
    unchanged = orig.pre[-1] if drop_noop else None

    def within(limit):
        return [f for f in search.run(limit) if f[1] != unchanged]

    if bound is not None:
        return within(bound)
    total = sum(map(len, chunks)) + len(orig.lines)
    slack = 2
    while True:
        bound = min(search.unknown + slack, total)
        found = within(bound)
        if found or bound >= total:
            return found
        slack = slack * 4 + 4


class _Search:
    def __init__(self, orig, chunks, lead, trail, key, lazy, gap, max_states):
        self.orig, self.chunks = orig, chunks
        self.lead, self.trail, self.lazy, self.gap = lead, trail, lazy, gap
        self.max_states = max_states
        self.n = len(orig.lines)
        self.per, self.pos = orig.classes(key)
        self.keyed = [[key(x) for x in c] for c in chunks]
        # the least cost still to come, from each line of each chunk
        rest, self.need = 0, []
        for c in reversed(self.keyed):
            need = [0] * len(c) + [rest]
            for i in range(len(c) - 1, -1, -1):
                need[i] = need[i + 1] + (c[i] not in self.pos)
            rest = need[0]
            self.need.append(need)
        self.need.reverse()
        self.unknown = rest

    def run(self, bound):
        if self.unknown > bound:
            return []
        self.bound, self.states, self.finals = bound, 0, []
        carry = None        # ends of the readings of all chunks before
        for ci in range(len(self.chunks)):
            merged = {}
            for row, first_kept in self._starts(ci, carry):
                ends, kept_ends = self._chunk(ci, row, first_kept)
                if ci == len(self.chunks) - 1:
                    self._finish(ends, kept_ends)
                    continue
                for j, entries in ends.items():
                    into = merged.setdefault(j, [])
                    for e in entries:
                        _add(into, e)
            carry = [(j, e[0], e[1], ("chunk", ci, e[2]))
                     for j, entries in merged.items() for e in entries]
            if not carry:
                break
        return self.finals

    def _starts(self, ci, carry):
        """Where a chunk may begin: rows of entries, and whether its first line
        is a kept one."""
        orig, row = self.orig, {}
        if ci > 0:
            best, k = [], 0
            carry.sort(key=lambda t: t[0])
            for p in self.pos.get(self.keyed[ci][0], ()):
                while k < len(carry) and carry[k][0] + self.gap <= p:
                    j, cost, h, back = carry[k]
                    _add(best, (cost, (h - orig.pre[j]) * orig.ipw[j] % P61, (j, back)))
                    k += 1
                if best:
                    row[p] = [(cost, (h * orig.pw[p] + orig.pre[p]) % P61, ("run", j, p, back))
                              for cost, h, (j, back) in best]
        elif self.lead or self.lazy:
            for p in self.pos.get(self.keyed[0][0], ()):
                if p >= (self.gap if self.lead else 0):
                    row[p] = [(0, orig.pre[p], ("run", 0, p, None))]
        rows = [(row, True)]
        if ci == 0 and not self.lead:
            rows.append(({0: [(0, 0, None)]}, False))
        return [r for r in rows if r[0]]

    def _chunk(self, ci, cur, first_kept):
        """All readings of one chunk: where they end, and those of them whose
        last line is kept while the rest of the file may stay."""
        chunk = self.keyed[ci]
        last = ci == len(self.chunks) - 1
        kept_ends = {}
        for i, text in enumerate(chunk):
            forced = first_kept and i == 0
            is_last = i == len(chunk) - 1
            budget = self.bound - self.need[ci][i + 1]
            if not forced:
                self._delete(cur, self.bound - self.need[ci][i])
            self.states += len(cur)
            if self.states > self.max_states:
                raise TooBig()
            may_insert = not forced and not (is_last and (not last or self.trail))
            new_id = self.orig.id_of(self.chunks[ci][i]) if may_insert else 0
            nxt = {}
            for j, entries in cur.items():
                if j < self.n and self.per[j] == text:
                    into = nxt.setdefault(j + 1, [])
                    kept = [(e[0], (e[1] * BASE + self.orig.ids[j]) % P61, ("k", j, e[2]))
                            for e in entries if e[0] <= budget]
                    for e in kept:
                        _add(into, e)
                    if is_last and last and not self.trail and self.lazy and into:
                        into = kept_ends.setdefault(j + 1, [])
                        for e in kept:
                            _add(into, e)
                if may_insert:
                    new = [(e[0] + 1, (e[1] * BASE + new_id) % P61, ("n", i, e[2]))
                           for e in entries if e[0] + 1 <= budget]
                    if new:
                        into = nxt.setdefault(j, [])
                        for e in new:
                            _add(into, e)
            cur = {j: entries for j, entries in nxt.items() if entries}
            if not cur:
                return {}, {}
        return cur, kept_ends

    def _delete(self, cur, budget):
        """Adds to every position what reaches it by deleting lines."""
        starts = sorted(cur, reverse=True)
        at, carried = 0, []
        while starts or carried:
            at = at + 1 if carried else starts[-1]
            if starts and starts[-1] == at:
                starts.pop()
            entries = cur.setdefault(at, [])
            for e in carried:
                _add(entries, e)
            carried = [(e[0] + 1, e[1], ("d", at, e[2])) for e in entries
                       if at < self.n and e[0] + 1 <= budget]

    def _finish(self, ends, kept_ends):
        if self.trail:
            for j, entries in ends.items():
                if j + self.gap <= self.n:
                    self._keep_rest(j, entries)
            return
        for j, entries in ends.items():
            for e in entries:
                if e[0] + self.n - j <= self.bound:
                    _add(self.finals, (e[0] + self.n - j, e[1], ("end", j, e[2])))
        for j, entries in kept_ends.items():
            self._keep_rest(j, entries)

    def _keep_rest(self, j, entries):
        pre, pw, n = self.orig.pre, self.orig.pw, self.n
        for e in entries:
            h = (e[1] * pw[n - j] + pre[n] - pre[j] * pw[n - j]) % P61
            _add(self.finals, (e[0], h, ("run", j, n, e[2])))


def result_lines(orig, chunks, back):
    """The lines of the result of a reading."""
    steps = []
    while back is not None:
        steps.append(back)
        back = back[-1]
    out, ci = [], 0
    for step in reversed(steps):
        kind, at = step[0], step[1]
        if kind == "run":
            out += orig.lines[at:step[2]]
        elif kind == "k":
            out.append(orig.lines[at])
        elif kind == "n":
            out.append(chunks[ci][at])
        elif kind == "chunk":
            ci += 1
    return out
