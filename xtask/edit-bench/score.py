#!/usr/bin/env python3
"""Score a command on a corpus of edits; the numbers go to standard output as
one JSON object.

  score.py --corpus DIR --format sketch [--dialect tool] -- COMMAND [ARGUMENT ...]
"""

import argparse
import itertools
import json
import os
import sys

from command import REQUEST, Command, read_answer

TIERS = ["T0", "T1", "T2", "T3", "T3u", "T4", "T5", "T6a", "T6d"]
FORMATS = ["sketch", "pairs", "sr", "v4a", "udiff"]
LARGE_LINES = 100_000
LARGE_RUNS = 15


class Tally:
    """What became of the items of one row."""

    def __init__(self):
        self.counts = {"right": 0, "wrong": 0, "declined": 0, "error": 0, "newline": 0}
        self.seconds = []

    def add(self, verdict, status, newline, seconds):
        if verdict:
            self.counts[verdict] += 1
        if status != "applied":
            self.counts[status] += 1
        self.counts["newline"] += newline
        self.seconds.append(seconds)

    def row(self):
        n = len(self.seconds)
        share = {k: 100.0 * v / n for k, v in self.counts.items()}
        ms = [1e3 * s for s in sorted(self.seconds)]
        return {"n": n, "exact": share["right"], "wrong": share["wrong"],
                "wrong_newline": share["newline"], "declined": share["declined"],
                "error": share["error"], "median_ms": ms[n // 2],
                "p95_ms": ms[min(n - 1, int(n * .95))], "max_ms": ms[-1]}


def judge(item, target, status, content):
    """-> ("right", "wrong" or None, does the final newline alone differ?)"""
    if item["expect"] == "decline":
        return {"declined": "right", "applied": "wrong"}.get(status), False
    if status != "applied":
        return None, False
    if content == target:
        return "right", False
    return "wrong", content is not None and content.rstrip("\r\n") == target.rstrip("\r\n")


def encode(request):
    return json.dumps(request, ensure_ascii=False).encode() + b"\n"


def items_of(corpus, fmt):
    with open(os.path.join(corpus, "items.jsonl"), encoding="utf-8") as f:
        for line in f:
            item = json.loads(line)
            if fmt == "sketch" or item.get("peers"):
                yield item


def large(command, cases, items, fmt, dialect):
    """Milliseconds for an edit of one of the corpus's files amid as many
    others as make a file of 100,000 lines."""
    whole = [case for case in cases.values() if case["eol"] == "lf" and case["final_nl"]]
    texts, count = [], 0
    for case in itertools.cycle(whole):
        if count >= LARGE_LINES:
            break
        texts.append(case["original"])
        count += case["lines"]
    original = "".join(texts)
    ms, began = [], command.processor_seconds()
    for item in items:
        request = REQUEST[dialect](item, "large.txt", original, fmt)
        answer, seconds = command.ask(encode(request))
        if read_answer(answer, item, dialect)[0] == "error":
            return None
        ms.append(1e3 * seconds)
    if not ms:
        return None
    return {"lines": count, "n": len(ms), "median_ms": sorted(ms)[len(ms) // 2],
            "max_ms": max(ms),
            "processor_ms": 1e3 * (command.processor_seconds() - began) / len(ms)}


def score(o, command, failures):
    with open(os.path.join(o.corpus, "cases.jsonl"), encoding="utf-8") as f:
        cases = {case["id"]: case for case in map(json.loads, f)}
    everything, tiers, languages = Tally(), {}, {}
    first, samples, began = True, [], 0.0
    for item in items_of(o.corpus, o.format):
        case = cases[item["case"]]
        line = encode(REQUEST[o.dialect](item, case["path"], case["original"], o.format))
        if first:           # the start of the process is no edit
            command.ask(line)
            began, first = command.processor_seconds(), False
        answer, seconds = command.ask(line)
        status, content = read_answer(answer, item, o.dialect)
        verdict, newline = judge(item, item.get("target", case["target"]), status, content)
        for tally in (everything, tiers.setdefault(item["tier"], Tally()),
                      languages.setdefault(item["lang"], Tally())):
            tally.add(verdict, status, newline, seconds)
        if verdict != "right" and failures:
            failures.write(json.dumps({"id": item["id"], "verdict": verdict, "status": status,
                                       "ref": item["ref"], "content": content},
                                      ensure_ascii=False) + "\n")
        if item["tier"] == "T0" and len(samples) < LARGE_RUNS:
            samples.append(item)
    if not everything.seconds:
        sys.exit("no item of the corpus has the format " + o.format)
    n = len(everything.seconds)
    processor = 1e3 * (command.processor_seconds() - began) / n if command.starts == 1 else None
    return {"format": o.format, "all": everything.row(),
            "tiers": {t: tiers[t].row() for t in TIERS if t in tiers},
            "languages": {k: v.row() for k, v in sorted(languages.items())},
            "processor_ms": processor,
            "large": large(command, cases, samples, o.format, o.dialect)}


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--corpus", required=True)
    ap.add_argument("--format", default="sketch", choices=FORMATS)
    ap.add_argument("--dialect", default="plain", choices=list(REQUEST))
    ap.add_argument("--timeout", type=float, default=10.0, help="seconds for one answer")
    ap.add_argument("--failures", metavar="FILE", help="what was not right, a line each")
    ap.add_argument("command", nargs="+")
    o = ap.parse_args()
    command = Command(o.command, o.timeout)
    failures = open(o.failures, "w", encoding="utf-8") if o.failures else None
    try:
        result = score(o, command, failures)
    finally:
        command.stop()
        if failures:
            failures.close()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
