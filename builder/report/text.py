"""Diagnostics as a compiler would show them, in styled pieces.

    docs/guide/start.mdx:12:5: error: there is no page `docs/instal` [broken-link]
       12 | See [install](../instal.mdx) for more.
          |     ^
          = did you mean `docs/install`?
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal

from builder.diagnostics import Diagnostic, Level
from builder.report.frame import Frame, SourceReader, excerpt
from builder.report.visible import visible

Style = Literal["", "place", "error", "warning", "info", "code", "gutter", "source", "hint"]
Line = tuple[tuple[str, Style], ...]
"""One line without its end: pieces of text, each with what it is, for whoever knows about colours."""

STYLES: dict[Level, Style] = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "info"}
LABELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}


def to_lines(diagnostics: Iterable[Diagnostic], read: SourceReader, prefix: str = "") -> Iterator[Line]:
    """All diagnostics, grouped by file with an empty line after each group; `prefix` goes before file names."""
    for _, group in groupby(diagnostics, key=lambda diagnostic: diagnostic.file):
        for diagnostic in group:
            yield _head(diagnostic, prefix)
            frame = excerpt(diagnostic, read)
            gutter = " " * max(5, len(str(diagnostic.line)) + 1)
            if frame is not None:
                yield from _source(frame, gutter)
            if diagnostic.hint:
                yield ((f"{gutter} = ", "gutter"), (visible(diagnostic.hint), "hint"))
        yield ()


def _head(diagnostic: Diagnostic, prefix: str) -> Line:
    level = diagnostic.level
    return (
        (f"{_place(diagnostic, prefix)}: ", "place"),
        (LABELS[level], STYLES[level]),
        (f": {visible(diagnostic.message)} ", ""),
        (f"[{diagnostic.code}]", "code"),
    )


def _place(diagnostic: Diagnostic, prefix: str) -> str:
    numbers = [number for number in (diagnostic.line, diagnostic.column) if number > 0]
    return ":".join([visible(prefix + diagnostic.file) or "the site", *map(str, numbers)])


def _source(frame: Frame, gutter: str) -> Iterator[Line]:
    yield ((f"{frame.line:>{len(gutter)}} | ", "gutter"), (frame.text, "source"))
    if frame.caret >= 0:
        yield ((f"{gutter} | ", "gutter"), (" " * frame.caret + "^", "error"))
