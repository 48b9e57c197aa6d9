"""What kind of change an edit is; a corpus takes some of each."""

import re

from languages import DECOR, DEF, IMPORT
from text import indent_of, width

TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\s+|.")


def rename_of(a, b, hunks):
    """The one identifier that is another everywhere, and nothing else changed."""
    pair, lines = None, 0
    for a0, a1, b0, b1 in hunks:
        if a1 - a0 != b1 - b0 or a1 == a0:
            return None
        for x, y in zip(a[a0:a1], b[b0:b1]):
            tx, ty = TOKEN.findall(x), TOKEN.findall(y)
            if len(tx) != len(ty):
                return None
            for p, q in zip(tx, ty):
                if p != q:
                    if not (p[0].isalpha() or p[0] == "_"):
                        return None
                    if pair is None:
                        pair = (p, q)
                    elif pair != (p, q):
                        return None
            lines += 1
    return pair if pair and lines >= 2 else None


def kinds_of(a, b, hunks, lang):
    kinds = set()
    d = DEF.get(lang)
    imp = IMPORT.get(lang)
    n = len(a)
    for a0, a1, b0, b1 in hunks:
        if a0 == a1:
            kinds.add("insert")
        elif b0 == b1:
            kinds.add("delete")
        else:
            kinds.add("replace")
        if a0 <= 2:
            kinds.add("bof")
        if a1 >= n - 2:
            kinds.add("eof")
        body = [x for x in b[b0:b1] if x.strip()]
        if imp and body and a1 == a0 and all(imp.search(x) for x in body):
            kinds.add("import")
        if d and a0 == a1 and len(body) >= 4:
            k = 0
            while k < len(body) - 1 and DECOR.match(body[k]):
                k += 1
            if d.match(body[k]) and \
                    width(indent_of(body[-1])) <= width(indent_of(body[k])) + 4:
                kinds.add("newfn")
    if len(hunks) > 1:
        kinds.add("multi")
    if rename_of(a, b, hunks):
        kinds.add("rename")
    return kinds


# An edit counts as the first of its kinds in this order ...
PRIMARY = ["rename", "newfn", "import", "bof", "eof", "multi", "delete",
           "insert", "replace"]
# ... and of no kind more than this part is taken, unless there are too few.
CAP = {"rename": .08, "newfn": .14, "import": .10, "bof": .08, "eof": .08,
       "multi": .18, "delete": .10, "insert": .11, "replace": .13}
