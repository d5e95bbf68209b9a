"""Children without their common indentation, so that an indented child is never a code block by accident."""

from __future__ import annotations

import re

_LEADING = re.compile(r"[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*\Z)|~{3,})")


def dedent(text: str) -> str:
    """The text without the indentation that all lines share; the first line, which follows a tag, has none.

    Code within fences does not count, and gives up no more than it has.
    """
    lines = text.split("\n")
    common = _common(lines)
    rest = [without(line, common) for line in lines[1:]] if common else lines[1:]
    return "\n".join([lines[0].lstrip(" \t"), *rest])


def _common(lines: list[str]) -> int:
    """The smallest indentation, in columns."""
    widths, fence = [], ""
    for line in lines[1:]:
        if fence:
            fence = "" if _closes(line, fence) else fence
            continue
        if line.strip(" \t"):
            widths.append(width(line))
            found = _FENCE.match(line)
            fence = found[1] if found else ""
    return min(widths, default=0)


def _closes(line: str, fence: str) -> bool:
    marks = line.strip(" \t>")
    return marks.startswith(fence) and not marks.strip(fence[0])


def width(line: str) -> int:
    """The columns of white space with which a line begins."""
    found = _LEADING.match(line)
    return len(found[0].expandtabs(4)) if found else 0


def without(line: str, columns: int) -> str:
    """The line without `columns` columns of white space, or all that it has; half a tab becomes blanks."""
    if line[:columns].count(" ") == columns:
        return line[columns:]
    seen = 0
    for at, char in enumerate(line):
        if seen >= columns or char not in " \t":
            return " " * (seen - columns) + line[at:]
        seen += 4 - seen % 4 if char == "\t" else 1
    return " " * (seen - columns)
