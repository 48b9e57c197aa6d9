"""Changes in a git history, and the lines that they touch."""

import re
import subprocess
import sys


def log_changes(gitdir):
    """Yield (commit, subject, path, old blob, new blob) of modified files."""
    git = subprocess.Popen(
        ["git", "-C", gitdir, "log", "--no-merges", "--raw", "--no-abbrev",
         "--diff-filter=M", "--no-renames", "--format=%x01%H%x02%s", "HEAD"],
        stdout=subprocess.PIPE)
    commit = subject = ""
    for raw in git.stdout:
        line = raw.decode("utf-8", "replace").rstrip("\n")
        if line.startswith("\x01"):
            commit, _, subject = line[1:].partition("\x02")
        elif line.startswith(":"):
            meta, _, path = line.partition("\t")
            old_mode, new_mode, old, new, _ = meta.split()
            if (old_mode, new_mode) == (":100644", "100644") or new_mode == "100755":
                yield commit, subject, path, old, new
    if git.wait() != 0:
        sys.exit("%s: git log ended with %d" % (gitdir, git.returncode))


class Blobs:
    """The contents of a repository's objects."""

    def __init__(self, gitdir):
        self.p = subprocess.Popen(
            ["git", "-C", gitdir, "cat-file", "--batch"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def get(self, sha):
        self.p.stdin.write(sha.encode() + b"\n")
        self.p.stdin.flush()
        head = self.p.stdout.readline().split()
        if len(head) != 3 or head[1] != b"blob":
            return None
        n = int(head[2])
        data = self.p.stdout.read(n)
        self.p.stdout.read(1)
        return data

    def text(self, sha, limit=400_000):
        """The text of a blob, or None where it is large or no UTF-8 text."""
        data = self.get(sha)
        if data is None or len(data) > limit or b"\0" in data:
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return None

    def close(self):
        self.p.stdin.close()
        self.p.wait()


HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.M)


def diff_hunks(gitdir, old, new):
    """[(a0, a1, b0, b1)] zero-based half-open, by git's own diff."""
    r = subprocess.run(
        ["git", "-C", gitdir, "diff", "-U0", "--no-color", "--no-ext-diff",
         "--no-textconv", old, new], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    out = []
    for m in HUNK.finditer(r.stdout):
        a, al, b, bl = (int(x) if x else 1 for x in m.groups())
        a0 = a - 1 if al else a
        b0 = b - 1 if bl else b
        out.append((a0, a0 + al, b0, b0 + bl))
    return out
