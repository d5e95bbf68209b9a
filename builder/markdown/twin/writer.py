"""Writing a chunk with edits: what replaces a block stands on lines of its own, within the list or quote
that the block stood in, and what goes leaves no gap."""

from __future__ import annotations

import re

from builder.markdown.mdx.chunk.chunks import Chunk

_PREFIX = re.compile(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[\^[^\]\s]+\]:))*[ \t]*")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BLANK_REST = re.compile(r"[ \t]*+(?:\n|\Z)")
_NOT_QUOTE = re.compile(r"[^>\s]")


class Writer:
    """Copies the chunk from `pos` on; `line` is the line being written, `before` the last whole one."""

    def __init__(self, chunk: Chunk, start: int, end: int) -> None:
        self.pos = start
        self._chunk = chunk
        self._end = end
        self._done: list[str] = []
        self._line = ""
        self._before = ""

    def inline(self, start: int, end: int, new: str) -> None:
        """Put `new` in the place of a part of a line."""
        self._write(self._chunk.text[self.pos : start])
        self._write(new)
        self.pos = end

    def block(self, start: int, end: int, new: str) -> None:
        """Put `new` in the place of a block; nothing, with its line, when it is empty."""
        self._write(self._chunk.text[self.pos : start])
        self.pos = end
        if new:
            self._put(new, self._indent())
        else:
            self._drop()

    def finish(self) -> str:
        """The rest of the text, and all that was written."""
        self._write(self._chunk.text[self.pos : self._end])
        return "".join([*self._done, self._line])

    def _put(self, new: str, indent: str) -> None:
        if self._line.strip(" \t") and not _PREFIX.fullmatch(self._line):
            self._break(indent)
        if not _blank(self._before) and not _ITEM.match(self._line):
            kept, self._line = self._line, indent.rstrip()
            self._write(f"\n{kept}")
        first, *rest = new.split("\n")
        lines = [first, *(f"{indent}{line}" if line else indent.rstrip() for line in rest)]
        self._write("\n".join(lines))
        if not self._rest_is_blank():
            self._break(indent)
            self._skip_blanks()
        elif self._next_needs_gap():
            self._write(f"\n{indent.rstrip()}")
            self._skip_blanks()

    def _break(self, indent: str) -> None:
        """An empty line, and the start of the next."""
        self._line = self._line.rstrip(" \t")
        self._write(f"\n{indent.rstrip()}\n{indent}")

    def _drop(self) -> None:
        """Close the gap that something left behind."""
        if not self._rest_is_blank():
            self._skip_blanks()
        elif _PREFIX.fullmatch(self._line) and not _ITEM.match(self._line):
            self.pos = min(self._end, self._line_end() + 1)
            if _blank(self._before):
                self._line = ""
                self._skip_empty_lines()
            elif self._next_needs_gap(self.pos):
                self._line = self._line.rstrip()
                self._write("\n")
            else:
                self._line = ""

    def _write(self, text: str) -> None:
        last = text.rfind("\n")
        if last < 0:
            self._line += text
            return
        previous = text.rfind("\n", 0, last)
        self._before = text[previous + 1 : last] if previous >= 0 else self._line + text[:last]
        self._done.append(self._line + text[: last + 1])
        self._line = text[last + 1 :]

    def _indent(self) -> str:
        """What the lines of a block begin with, after the first: quotes stay, list marks are blanks."""
        text = self._chunk.text
        begin = text.rfind("\n", 0, self.pos) + 1
        begin = text.rfind("\n", 0, self.pos - 1) + 1 if begin == self.pos else begin
        found = _PREFIX.match(self._line)
        return _NOT_QUOTE.sub(" ", found[0]) if found else ""

    def _line_end(self) -> int:
        stop = self._chunk.text.find("\n", self.pos)
        return stop if stop >= 0 else len(self._chunk.text)

    def _rest_is_blank(self) -> bool:
        return _BLANK_REST.match(self._chunk.text, self.pos) is not None

    def _skip_blanks(self) -> None:
        text = self._chunk.text
        while self.pos < self._end and text[self.pos] in " \t":
            self.pos += 1

    def _skip_empty_lines(self) -> None:
        while self.pos < self._end and _blank(self._chunk.text[self.pos : self._line_end()]):
            self.pos = min(self._end, self._line_end() + 1)

    def _next_needs_gap(self, pos: int = -1) -> bool:
        """Whether the next line has text that would run on from what stands before it."""
        start = self._line_end() + 1 if pos < 0 else pos
        stop = self._chunk.text.find("\n", start)
        line = self._chunk.text[start : stop if stop >= 0 else len(self._chunk.text)]
        return start < self._end and not _blank(line) and not _ITEM.match(line)


def _blank(line: str) -> bool:
    return not line.strip(" \t>")
