"""Texts of which an expanded text is put together, and where each of its characters comes from.

    page docs/start.mdx                     part docs/_parts/install.mdx      expanded

    3  <Include src="./_parts/install.mdx"  1  Get version %{version}:        Get version 2:
    4      version="2" />                   2  [all of them](../all)          [all of them](../all)

Each piece of the expanded text is a copy, whose characters follow those of an origin one by one, or stands
for one place of it, as the `2` does for `%{version}`. An origin that was included knows its caller, so that a
place in it can be told with the page's line that led there.
"""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct, field

from builder.markdown.mdx.chunk.chunks import line_starts


class Origin(Struct, frozen=True, eq=False):
    """A text, from the line `line` of `file` on; relative links in it are seen from the content path `base`.

    `caller` is the origin that includes it, and the offset at which it does.
    """

    text: str
    file: str
    line: int
    base: str
    caller: tuple[Origin, int] | None = None
    starts: list[int] = field(default_factory=list)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset in the file, both from 1."""
        number = bisect_right(self.starts, offset) - 1
        return self.line + number, offset - self.starts[number] + 1

    def lines(self, start: int, end: int) -> int:
        """Count the line ends between two offsets."""
        return bisect_right(self.starts, end) - bisect_right(self.starts, start)


class PagePlace(Struct, frozen=True):
    """A line and column of the page, with words for the part that it led to, or ""."""

    line: int
    column: int
    part: str = ""


def place_of(where: Origin, offset: int) -> PagePlace:
    """The place on the page of an offset in an origin."""
    line, column = where.position(offset)
    part = "" if where.caller is None else f"in `{where.file}`, line {line}, column {column}"
    while where.caller is not None:
        where, offset = where.caller
        line, column = where.position(offset)
        part += f", included by `{where.file}`, line {line}" if where.caller is not None else ""
    return PagePlace(line, column, part)


class ExpandedText(Struct, frozen=True, eq=False):
    """A text with its pieces: from each of the `starts` on it is that of an origin, from an offset on.

    `steps` are 1 for copies, 0 for what stands for one place. The first line of the text is `line`.
    """

    text: str
    line: int
    starts: list[int]
    origins: list[tuple[Origin, int]]
    steps: list[int]
    lines: list[int]

    def origin(self, line: int, column: int) -> tuple[Origin, int]:
        """The origin, and the offset in it, of a line and column that the parser has told."""
        number = min(max(0, line - self.line), len(self.lines) - 1)
        offset = self.lines[number] + max(0, column - 1)
        if number + 1 < len(self.lines):
            offset = min(offset, self.lines[number + 1] - 1)
        piece = max(0, bisect_right(self.starts, offset) - 1)
        where, start = self.origins[piece]
        return where, min(len(where.text), start + self.steps[piece] * (offset - self.starts[piece]))

    def place(self, line: int, column: int) -> PagePlace:
        """The same as a place on the page."""
        return place_of(*self.origin(line, column))


class ExpandedWriter:
    """Puts an expanded text together. Within `prefix`, each line but the first begins with that."""

    def __init__(self) -> None:
        self.prefix = ""
        self.length = 0
        self._out: list[str] = []
        self._starts: list[int] = []
        self._origins: list[tuple[Origin, int]] = []
        self._steps: list[int] = []
        self._fresh = False

    def copy(self, where: Origin, start: int, end: int) -> None:
        """Write a part of an origin."""
        if not self.prefix:
            self._write(where.text[start:end], where, start, 1)
            return
        while start < end:
            stop = where.text.find("\n", start, end) + 1 or end
            self._write(where.text[start:stop], where, start, 1)
            start = stop

    def put(self, text: str, where: Origin, at: int) -> None:
        """Write a text that stands for one place of an origin."""
        for line in text.splitlines(keepends=True) if self.prefix else [text]:
            self._write(line, where, at, 0)

    def finish(self, whole: Origin) -> ExpandedText:
        """All that was written in the place of the `whole` page."""
        if not self._starts:
            return ExpandedText("", whole.line, [0], [(whole, 0)], [0], [0])
        text = "".join(self._out)
        return ExpandedText(text, whole.line, self._starts, self._origins, self._steps, line_starts(text))

    def _write(self, text: str, where: Origin, at: int, step: int) -> None:
        if not text:
            return
        if self._fresh and self.prefix:
            blank = text.endswith("\n") and not text.strip()
            self._fresh = False
            self._piece(self.prefix.rstrip(" \t") if blank else self.prefix, where, at, 0)
        self._piece(text, where, at, step)
        self._fresh = text.endswith("\n")

    def _piece(self, text: str, where: Origin, at: int, step: int) -> None:
        if text:
            self._out.append(text)
            self._starts.append(self.length)
            self._origins.append((where, at))
            self._steps.append(step)
            self.length += len(text)
