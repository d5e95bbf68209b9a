"""Lines and columns of characters in a text."""

from __future__ import annotations

import bisect
from collections.abc import Callable

from builder.lazy_regex import lazy

_LINE_END = lazy(r"\r\n|\n|\r")


def place(text: str, index: int) -> tuple[int, int]:
    """Line and column, both from 1, of a character; a carriage return alone ends a line too."""
    before = text[:index]
    if "\r" in before:
        before = before.replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def places(text: str) -> Callable[[int], tuple[int, int]]:
    """`place` for many characters of one text."""
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]

    def find(index: int) -> tuple[int, int]:
        line = bisect.bisect_right(starts, index)
        return line, index - starts[line - 1] + 1

    return find
