#!/usr/bin/env python3
"""Checks of the search for readings against brute force, and of a corpus.

  selftest.py [--corpus DIR]

With a corpus: hunks rebuild the targets, ids are single, edits that nothing
decides have two cheapest results, and of the items said to have no reading
every 20th is looked at again.
"""

import argparse
import itertools
import json
import os
import random
import sys

from align import Original, align, key_ws, result_lines
from sketches import is_marker, parse_sketch
from text import replaced, split_text


def lcs(a, b):
    row = [0] * (len(b) + 1)
    for x in a:
        prev = 0
        for j, y in enumerate(b, 1):
            cur = row[j]
            row[j] = prev + 1 if x == y else max(row[j], row[j - 1])
            prev = cur
    return row[-1]


def lcs_anchored(o, c, first, last):
    """Most kept lines when the first/last line of both must be kept."""
    if first and (not o or not c or o[0] != c[0]):
        return None
    if last and (not o or not c or o[-1] != c[-1]):
        return None
    n = 0
    if first and last and len(c) == 1:
        return 1 if len(o) == 1 else None
    if first:
        o, c, n = o[1:], c[1:], n + 1
    if last:
        if not o or not c:
            return None
        o, c, n = o[:-1], c[:-1], n + 1
    return n + lcs(o, c)


def brute(a, chunks, lead, trail):
    """{result: least cost} over all readings."""
    n, m = len(a), len(chunks)
    out = {}
    spots = list(itertools.combinations_with_replacement(range(n + 1), 2 * m))
    for s in spots:
        iv = [(s[2 * i], s[2 * i + 1]) for i in range(m)]
        if any(iv[i + 1][0] - iv[i][1] < 1 for i in range(m - 1)):
            continue
        heads = [True] if lead else [False, True]
        tails = [True] if trail else [False, True]
        for hd in heads:
            for tl in tails:
                if lead and iv[0][0] < 1 or trail and iv[-1][1] > n - 1:
                    continue
                if not hd and iv[0][0] != 0 or not tl and iv[-1][1] != n:
                    continue
                cost, ok, res, at = 0, True, [], 0
                for i, (x, y) in enumerate(iv):
                    k = lcs_anchored(a[x:y], chunks[i], i > 0 or hd, i < m - 1 or tl)
                    if k is None:
                        ok = False
                        break
                    cost += y - x - k + len(chunks[i]) - k
                    res += a[at:x] + chunks[i]
                    at = y
                if ok:
                    r = tuple(res + a[at:])
                    if r != tuple(a):
                        out[r] = min(cost, out.get(r, 1 << 30))
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--corpus")
    ap.add_argument("--rounds", type=int, default=400)
    o = ap.parse_args()
    passed = failed = 0

    def check(ok, what):
        nonlocal passed, failed
        if ok:
            passed += 1
        else:
            failed += 1
            print("FAILED", what)
    for s in ("// ... existing code ...", "  # ... existing code ...",
              "<!-- ... existing code ... -->", "/* ... existing code ... */",
              "-- ... existing code ...", "{/* ... existing code ... */}"):
        check(is_marker(s), s)
    for s in ("// existing code", "x = 1  # ... existing code ...", "..."):
        check(not is_marker(s), s)
    rng = random.Random(7)
    for r in range(o.rounds):
        a = [rng.choice("abcd") for _ in range(rng.randint(3, 7))]
        m = rng.choice((1, 1, 2))
        chunks = [[rng.choice("abcdX") for _ in range(rng.randint(1, 4))] for _ in range(m)]
        lead, trail = rng.random() < .6, rng.random() < .6
        want = brute(a, chunks, lead, trail)
        got = align(Original(a), chunks, lead, trail)
        if not want:
            check(not got, (a, chunks, lead, trail))
            continue
        best = min(want.values())
        res = {tuple(result_lines(Original(a), chunks, g[2])): g[0] for g in got}
        ok = bool(got) and got[0][0] == best and all(want.get(k) == v for k, v in res.items())
        ties = sum(1 for v in want.values() if v == best)
        # three results are kept and one may be the unchanged file
        ok = ok and sum(1 for g in got if g[0] == best) >= min(ties, 2)
        check(ok, (a, chunks, lead, trail, want, res))
    if o.corpus:
        cases = {}
        with open(os.path.join(o.corpus, "cases.jsonl")) as f:
            for line in f:
                c = json.loads(line)
                cases[c["id"]] = c
                a, _, _ = split_text(c["original"])
                b, _, _ = split_text(c["target"])
                check(replaced(a, c["hunks"], b) == b, c["id"])
        ids, again = set(), 0
        with open(os.path.join(o.corpus, "items.jsonl")) as f:
            for line in f:
                it = json.loads(line)
                c = cases[it["case"]]
                check(it["id"] not in ids, "id twice " + it["id"])
                ids.add(it["id"])
                a, _, _ = split_text(c["original"])
                sk = parse_sketch(it["sketch"])
                if it["tier"] == "T6d" and it["sub"] == "dup":
                    got = align(Original(a), sk.chunks, sk.lead, sk.trail, bound=1)
                    check(sum(1 for g in got if g[0] == 1) >= 2, it["id"])
                elif it["tier"] == "T6d" and not it["sub"].startswith("natural"):
                    again += 1
                    if again % 20 == 0:
                        check(not align(Original(a), sk.chunks, sk.lead, sk.trail, key=key_ws,
                                        gap=0, drop_noop=False), it["id"])
                if it["tier"] == "T6a" and "target" in it:
                    check(it["target"] != c["original"], it["id"])
                if it["expect"] == "apply":
                    check(it.get("target", c["target"]) != c["original"], it["id"])
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
