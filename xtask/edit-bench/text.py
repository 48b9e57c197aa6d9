"""Texts as lines: splitting and joining without loss, indentation."""


def split_text(text):
    """-> (lines without terminators, final newline?, eol).  eol is None when
    the file mixes line endings."""
    final = text.endswith("\n")
    lines = text.split("\n")
    if final:
        lines.pop()
    crs = sum(1 for line in lines if line.endswith("\r"))
    if crs == 0:
        return lines, final, "\n"
    if crs == len(lines) or (not final and crs == len(lines) - 1):
        return [line.removesuffix("\r") for line in lines], final, "\r\n"
    return lines, final, None


def join_text(lines, final, eol):
    if not lines:
        return ""
    return eol.join(lines) + (eol if final else "")


def indent_of(line):
    return line[: len(line) - len(line.lstrip(" \t"))]


def width(space):
    """Columns of an indentation; a tab counts as four."""
    return sum(4 if c == "\t" else 1 for c in space)


def unit_of(lines):
    """One indentation step of a file."""
    tabs = sum(1 for x in lines if x.startswith("\t"))
    two = sum(1 for x in lines if x.startswith("  ") and not x.startswith("   "))
    four = sum(1 for x in lines if x.startswith("    "))
    if tabs > two + four:
        return "\t"
    return "  " if two * 4 > four else "    "


def replaced(lines, hunks, new):
    """The lines with every hunk's interval replaced by its interval of `new`."""
    out, at = [], 0
    for a0, a1, b0, b1 in hunks:
        out += lines[at:a0] + new[b0:b1]
        at = a1
    return out + lines[at:]
