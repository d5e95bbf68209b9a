"""The limit up to which a body is parsed. Time must be bounded for any text, and the same text must always
give the same page, so work is counted before it is done, in units of some three microseconds.

A page of ordinary prose costs some 20 units a line. Only bodies over 64 KB are looked at, as no shorter one
can take long.
"""

from __future__ import annotations

import re

SMALL = 65_536
"""Characters that are always affordable."""

MOST = 400_000
"""Units for one body."""

_LINE = 9
_LINE_OF_CODE = 1
_BLOCK = 50
"""For a component, an admonition or a code block that may begin on a line."""

_COSTS = {
    "<": 20, "#": 8, "[": 8, "*": 4, "_": 4, "`": 2, "|": 7, "{": 14, ":": 3, "!": 4, "&": 4, "~": 4,
    "\\": 4, "]": 2, ">": 4, "@": 4, "/": 1, "w": 1, "-": 1,
}  # fmt: skip
_ITEM = 6
"""For a list item."""

_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_OPENING = re.compile(r"<[A-Z]|:::")
_FENCE = re.compile(r"[ \t>*+-]*(`{3,}|~{3,})")


def affordable(text: str) -> int:
    """The length of the beginning of `text` that is parsed: whole lines, or all of it."""
    if len(text) <= SMALL:
        return len(text)
    spent, pos, fence = 0, 0, ""
    while pos < len(text) and spent <= MOST:
        stop = text.find("\n", pos) + 1 or len(text)
        line = text[pos:stop]
        found = _FENCE.match(line)
        if fence:
            spent += _LINE_OF_CODE
            if found and found[1].startswith(fence) and not line[found.end() :].strip():
                fence = ""
        else:
            spent += _cost(line)
            fence = found[1] if found else ""
            spent += _BLOCK if found else 0
        pos = stop if spent <= MOST else pos
    return pos


def _cost(line: str) -> int:
    """Return the cost of a line outside code: to parse it, and to render the result."""
    if not line.strip():
        return 1
    marks = sum(line.count(char) * cost for char, cost in _COSTS.items())
    marks += _ITEM if _MARKER.match(line) else 0
    return _LINE + marks + _BLOCK * len(_OPENING.findall(line))
