#!/usr/bin/env python3
"""Make a corpus of edits from local git histories.

  generate.py --out DIR --git DIR [--git DIR ...] [--limit N]

The corpus holds text of those repositories: keep it outside of this one.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys

from history import Blobs, diff_hunks, log_changes
from items import make_items
from kinds import CAP, PRIMARY, kinds_of
from languages import MAJOR, SKIP_PATH, language_of
from sketches import is_marker
from text import indent_of, join_text, replaced, split_text, unit_of

SEED = "edits-1"
LIMIT = 165             # edits of a major language
MINOR = 36 / 165        # a minor language has this part of them
TRIES = 2500            # changes that are looked at in a language


class Change:
    """A modified file of a commit."""

    def __init__(self, repo, gitdir, commit, subject, path, old, new):
        self.repo, self.gitdir = repo, gitdir
        self.commit, self.subject, self.path = commit, subject, path
        self.old, self.new = old, new


def changes_of(repos):
    """{language: changes} of all repositories."""
    by_lang = {}
    for name, gitdir in repos:
        changes = [Change(name, gitdir, *c) for c in log_changes(gitdir)
                   if language_of(c[2]) and not SKIP_PATH.search(c[2])]
        langs = [language_of(c.path) for c in changes]
        # a header is of the language that most sources round it are in
        headers = "cpp" if langs.count("cpp") > sum(
            lang == "c" and not c.path.endswith(".h") for lang, c in zip(langs, changes)) else "c"
        for lang, c in zip(langs, changes):
            lang = headers if c.path.endswith(".h") else lang
            by_lang.setdefault(lang, []).append(c)
    return by_lang


def mixed(changes, rng):
    """The changes in random order, from each repository in turn, so that none
    dominates."""
    changes.sort(key=lambda c: (c.repo, c.commit, c.path))
    rng.shuffle(changes)
    per = {}
    for c in changes:
        per.setdefault(c.repo, []).append(c)
    while per:
        for repo in list(per):
            yield per[repo].pop()
            if not per[repo]:
                del per[repo]


class Found:
    """A change that is fit for the corpus."""

    def __init__(self, change, a, b, hunks, final_nl, eol, lang):
        self.change, self.a, self.b, self.hunks = change, a, b, hunks
        self.final_nl, self.eol = final_nl, eol
        self.size = sum(h[1] - h[0] + h[3] - h[2] for h in hunks)
        self.kinds = kinds_of(a, b, hunks, lang)
        self.primary = next(k for k in PRIMARY if k in self.kinds)
        self.key = blob_key(change)
        # the same change made in several branches counts once
        self.text_key = sha1("\n".join(
            "\n".join(a[h[0]:h[1]] + ["--"] + b[h[2]:h[3]]) for h in hunks) + change.path)


def sha1(text):
    return hashlib.sha1(text.encode()).hexdigest()


def blob_key(change):
    return sha1(change.old + change.new)


def examine(change, blobs, lang):
    """The change as an edit, or None where it is not fit."""
    x, y = blobs.text(change.old), blobs.text(change.new)
    if x is None or y is None or "existing code" in (x + y).lower():
        return None
    a, final_a, eol_a = split_text(x)
    b, final_b, eol_b = split_text(y)
    if not 30 < len(a) < 3000 or eol_a is None or (final_a, eol_a) != (final_b, eol_b):
        return None
    if abs(len(a) - len(b)) >= 80 or max(map(len, a + b)) > 2000 or any(map(is_marker, b)):
        return None
    hunks = diff_hunks(change.gitdir, change.old, change.new)
    if not 1 <= len(hunks) <= 6 or replaced(a, hunks, b) != b or only_white_space(a, b, hunks):
        return None
    found = Found(change, a, b, hunks, final_a, eol_a, lang)
    return found if found.size < 80 else None


def only_white_space(a, b, hunks):
    """Whether a line changes in nothing but trailing white space, or in tabs
    for spaces of one width.  T3 counts that as drift, so such a change would
    have two right answers."""
    tab = len(unit_of(a).replace("\t", "    "))

    def flat(lines, others):
        return {indent_of(x).replace("\t", " " * tab) + x.strip()
                for x in lines if x.strip() and x not in others}
    for a0, a1, b0, b1 in hunks:
        old, new = a[a0:a1], b[b0:b1]
        if flat(old, new) & flat(new, old) or any(x and not x.strip() for x in old + new):
            return True
    return False


def select(lang, changes, blobs, limit):
    """Up to `limit` edits of a language, some of every kind."""
    goal = limit if lang in MAJOR else max(1, round(limit * MINOR))
    chosen, spare, seen = [], [], set()
    per_kind, per_path, per_commit = {}, {}, {}
    tries = 0
    for c in mixed(changes, random.Random(SEED + lang)):
        if len(chosen) >= goal or tries >= TRIES:
            break
        if per_path.get((c.repo, c.path), 0) >= 12 or per_commit.get(c.commit, 0) >= 3:
            continue
        tries += 1
        found = None if blob_key(c) in seen else examine(c, blobs[c.gitdir], lang)
        if found is None or found.text_key in seen:
            continue
        if per_kind.get(found.primary, 0) >= max(3, goal * CAP[found.primary]):
            if len(spare) < goal:
                spare.append(found)
            continue
        seen.update((found.key, found.text_key))
        for count, key in ((per_kind, found.primary), (per_path, (c.repo, c.path)),
                           (per_commit, c.commit)):
            count[key] = count.get(key, 0) + 1
        chosen.append(found)
    for found in spare:
        if len(chosen) >= goal:
            break
        if not {found.key, found.text_key} & seen:
            seen.update((found.key, found.text_key))
            chosen.append(found)
    return chosen


def case_of(number, lang, found):
    c = found.change
    return {"id": "c%05d" % number, "repo": c.repo, "commit": c.commit, "path": c.path,
            "lang": lang, "kinds": sorted(found.kinds), "primary": found.primary,
            "hunks": found.hunks, "changed": found.size, "lines": len(found.a),
            "eol": "crlf" if found.eol == "\r\n" else "lf", "final_nl": found.final_nl,
            "subject": c.subject,
            "original": join_text(found.a, found.final_nl, found.eol),
            "target": join_text(found.b, found.final_nl, found.eol)}


def write(out, chosen):
    """Writes the corpus; -> its manifest."""
    languages, tiers = {}, {}
    digest = hashlib.sha256()
    number = 0

    def put(file, entry):
        line = json.dumps(entry, ensure_ascii=False)
        digest.update(line.encode())
        file.write(line + "\n")
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "cases.jsonl"), "w", encoding="utf-8") as cases, \
            open(os.path.join(out, "items.jsonl"), "w", encoding="utf-8") as items:
        for lang in sorted(chosen):
            others = []
            for found in chosen[lang]:
                number += 1
                case = case_of(number, lang, found)
                rng = random.Random(SEED + found.key)
                made = make_items(case, found.a, found.b, found.hunks, rng, others)
                put(cases, case)
                for item in made:
                    put(items, {**item, "lang": lang, "primary": found.primary})
                    tiers[item["tier"]] = tiers.get(item["tier"], 0) + 1
            languages[lang] = len(chosen[lang])
            print("%-11s %4d edits written down" % (lang, languages[lang]), file=sys.stderr)
    return {"seed": SEED, "languages": languages, "tiers": dict(sorted(tiers.items())),
            "cases": number, "items": sum(tiers.values()), "sha256": digest.hexdigest()}


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True)
    ap.add_argument("--git", action="append", required=True, metavar="DIR")
    ap.add_argument("--limit", type=int, default=LIMIT, help="edits of a major language")
    o = ap.parse_args()
    repos = [(os.path.basename(os.path.abspath(d)), d) for d in o.git]
    by_lang = changes_of(repos)
    blobs = {gitdir: Blobs(gitdir) for _, gitdir in repos}
    chosen = {}
    for lang in sorted(by_lang):
        found = select(lang, by_lang[lang], blobs, o.limit)
        if found:
            chosen[lang] = found
    for each in blobs.values():
        each.close()
    manifest = write(o.out, chosen)
    manifest["repos"] = {name: subprocess.run(
        ["git", "-C", d, "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True,
        check=True).stdout.strip() for name, d in repos}
    with open(os.path.join(o.out, "manifest.json"), "w", encoding="utf-8") as f:
        json.dump(manifest, f, indent=1)


if __name__ == "__main__":
    main()
