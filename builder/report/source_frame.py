"""The line of source that a diagnostic is about, cut to a readable length, with the place of its caret."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.report.visible_text import visible, width

SourceReader = Callable[[str], Sequence[str] | None]
"""Gives the lines (see `split_lines`) of a source file of the site, or None when it cannot be read."""

LONGEST = 100
"""Characters of a source line that are shown."""
LEAD = 40
"""Characters shown before the caret when the line must be cut."""

_LINE_END = re.compile(r"\r\n|\n|\r")


class SourceFrame(Struct, frozen=True):
    """One line of source, safe to show. `caret` counts terminal cells before the marked one, or is -1."""

    line: int
    text: str
    caret: int


def split_lines(source: str) -> list[str]:
    """The lines of a source as markdown counts them, without their ends and the byte order mark."""
    return _LINE_END.split(source.removeprefix("\ufeff"))


def excerpt(diagnostic: Diagnostic, read: SourceReader) -> SourceFrame | None:
    """The frame of a diagnostic, or None when it has no line, or its file no longer has that line."""
    if diagnostic.line < 1 or not diagnostic.file:
        return None
    lines = read(diagnostic.file)
    if lines is None or diagnostic.line > len(lines):
        return None
    return _cut(diagnostic.line, lines[diagnostic.line - 1], diagnostic.column)


def _cut(number: int, line: str, column: int) -> SourceFrame:
    """Show the part of the line around `column` (from 1; 0 for none)."""
    at = min(column - 1, len(line))
    start = at - LEAD if at > LEAD and len(line) > LONGEST else 0
    before = "…" if start else ""
    after = "…" if len(line) > start + LONGEST else ""
    text = before + visible(line[start : start + LONGEST]).rstrip() + after
    caret = width(before + visible(line[start:at])) if at >= 0 else -1
    return SourceFrame(number, text, caret)
