"""The same edit in other formats."""


def peer_formats(chunks, path, oldline, newline, rng, headers=None):
    """{format: patch}.  oldline(row, chunk number) is the text of a kept or
    deleted row as the model shows it, newline that of a new one; headers are
    signatures for the chunks that have one."""
    sr, v4a, ud, pairs = [], [], [], []
    delta = 0
    for ci, c in enumerate(chunks):
        if not c.changed():
            continue
        old = [oldline(r, ci) for r in c.rows if r[0] in "kd"]
        new = [oldline(r, ci) if r[0] == "k" else newline(r, ci)
               for r in c.rows if r[0] in "kn"]
        pairs.append(["\n".join(old), "\n".join(new)])
        sr.append("%s\n```\n<<<<<<< SEARCH\n%s=======\n%s>>>>>>> REPLACE\n```\n" % (
            path, "".join(x + "\n" for x in old), "".join(x + "\n" for x in new)))
        body = []
        for r in c.rows:
            if r[0] == "n":
                body.append("+" + newline(r, ci))
            else:
                body.append((" " if r[0] == "k" else "-") + oldline(r, ci))
        head = headers[ci] if headers and headers[ci] else None
        v4a.append("@@" + (" " + head if head else "") + "\n" +
                   "".join(x + "\n" for x in body))
        wrong = max(1, c.s + 1 + rng.randint(-40, 40))
        ud.append("@@ -%d,%d +%d,%d @@\n" % (
            wrong, len(old), max(1, wrong + delta), len(new)) +
            "".join(x + "\n" for x in body))
        delta += len(new) - len(old)
    return {
        "sr": "\n".join(sr),
        "v4a": "*** Begin Patch\n*** Update File: %s\n%s*** End Patch" % (
            path, "".join(v4a)),
        "udiff": "--- a/%s\n+++ b/%s\n%s" % (path, path, "".join(ud)),
        "pairs": pairs,
    }
