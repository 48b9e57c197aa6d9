"""Edit sketches: markers, chunks, writing them down and reading them back."""

import re

from languages import CLOSER, comment
from text import indent_of, width

MARKER_WORDS = "... existing code ..."

# One marker a line, in any comment style or none.
MARKER = re.compile(
    r"^\s*(?:\{\s*)?(?://+|#+|--+|/\*+|<!--+|;+|%+|<%#)?\s*"
    r"(?:\.\.\.|…)\s*existing code\s*(?:\.\.\.|…)?\s*"
    r"(?:\*/|--+>|%>)?\s*\}?\s*$",
    re.I,
)


def is_marker(line):
    return "existing code" in line.lower() and MARKER.match(line) is not None


def marker_line(lang, indent=""):
    return indent + comment(lang, MARKER_WORDS)


class Sketch:
    """What is read from a sketch: chunks of lines, and whether a marker stands
    before the first and after the last."""

    def __init__(self, chunks, lead, trail):
        self.chunks, self.lead, self.trail = chunks, lead, trail


def parse_sketch(text):
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    chunks, current = [], []
    marked = [is_marker(line) for line in lines]
    for line, marker in zip(lines, marked):
        if not marker:
            current.append(line.removesuffix("\r"))
        elif current:
            chunks.append(current)
            current = []
    if current:
        chunks.append(current)
    return Sketch(chunks, bool(marked) and marked[0], bool(marked) and marked[-1])


class Chunk:
    """A piece of an edit: an interval of the original, and what is shown for
    it: rows ("k", line kept), ("d", line deleted), ("n", line of the target)."""

    __slots__ = ("s", "e", "rows")

    def __init__(self, s, e=None, rows=()):
        self.s = s
        self.e = s if e is None else e
        self.rows = list(rows)

    def changed(self):
        return any(r[0] != "k" for r in self.rows)

    def split(self):
        """-> (rows before the first change, changes, rows after the last)"""
        at = [i for i, r in enumerate(self.rows) if r[0] != "k"]
        return self.rows[:at[0]], self.rows[at[0]:at[-1] + 1], self.rows[at[-1] + 1:]


class Layout:
    """The chunks that an edit is shown as."""

    def __init__(self, chunks, lead, trail):
        self.chunks, self.lead, self.trail = chunks, lead, trail


def lines_of_hunks(hunks):
    return {i for h in hunks for i in range(h[0], h[1])}


def layout(count, hunks, keep):
    """The chunks for a set of kept lines of an original of `count` lines.  A
    marker never stands for one single line: that line is kept too."""
    in_hunk = lines_of_hunks(hunks)
    starts = {}
    for h in hunks:
        starts.setdefault(h[0], []).append(h)
    left_out = [i for i in range(count) if i not in in_hunk and i not in keep]
    out = set(left_out)
    for i in left_out:
        left = (i - 1) in out and i not in starts
        right = (i + 1) in out and (i + 1) not in starts
        if not left and not right:
            out.discard(i)
    chunks, current, lead = [], None, False

    def chunk(at):
        nonlocal current
        if current is None:
            current = Chunk(at)
            chunks.append(current)
        return current

    for i in range(count + 1):
        for h in starts.get(i, ()):
            c = chunk(i)
            c.rows += [("d", x) for x in range(h[0], h[1])]
            c.rows += [("n", x) for x in range(h[2], h[3])]
            c.e = h[1]
        if i == count or i in in_hunk:
            continue
        if i in out:
            lead = lead or not chunks
            current = None
        else:
            c = chunk(i)
            c.rows.append(("k", i))
            c.e = i + 1
    return Layout(chunks, lead, current is None)


def _first_indent(lines):
    return next((indent_of(x) for x in lines if x.strip()), "")


def write_sketch(shown, lead, trail, lang, unit):
    """The text of a sketch; `shown` has the lines of every chunk."""
    out = []
    for i, lines in enumerate(shown):
        q = _first_indent(lines)
        if i > 0:
            before = shown[i - 1]
            p = _first_indent(before[::-1])
            opener = before and before[-1].rstrip()[-1:] in ("{", ":", "(", "[")
            following = next((x for x in lines if x.strip()), "")
            if width(q) < width(p) and not opener:
                p = q + unit if CLOSER.match(following) else q
            elif opener:
                p = q if width(q) > width(p) else p + unit
            out.append(marker_line(lang, p))
        elif lead:
            out.append(marker_line(lang, q))
        out += lines
    if trail:
        out.append(marker_line(lang, _first_indent(shown[-1][::-1])))
    return "\n".join(out) + "\n"
