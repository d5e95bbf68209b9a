"""A body as plain markdown: each chunk with its edits made, each component as it says itself in markdown.

What replaces a block stands on lines of its own, within the list or quote that the block stood in, and what
goes leaves no gap.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from builder.code import info as fences
from builder.lazy_regex import lazy
from builder.markdown.context import Context
from builder.markdown.html.assembly import link_attributes
from builder.markdown.mdx.chunk.chunks import PREFIX, Chunk, Edit, Place, TwinPart
from builder.markdown.mdx.dedent_children import width, without
from builder.markdown.mdx.twin_outdent import CODE
from components import twin
from components.base import Child, Component

_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BLANK_REST = re.compile(r"[ \t]*+(?:\n|\Z)")
_NOT_QUOTE = re.compile(r"[^>\s]")

_EMPTY_LINES = lazy(r"\A(?:[ \t]*\n)+")


class ChunkWriter:
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
        if self._line.strip(" \t") and not PREFIX.fullmatch(self._line):
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
        elif PREFIX.fullmatch(self._line) and not _ITEM.match(self._line):
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
        """Return the indent of a block's lines after the first: quotes stay, list marks are blanks."""
        text = self._chunk.text
        begin = text.rfind("\n", 0, self.pos) + 1
        begin = text.rfind("\n", 0, self.pos - 1) + 1 if begin == self.pos else begin
        found = PREFIX.match(self._line)
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
        """Return whether the next line has text that would run on from what stands before it."""
        start = self._line_end() + 1 if pos < 0 else pos
        stop = self._chunk.text.find("\n", start)
        line = self._chunk.text[start : stop if stop >= 0 else len(self._chunk.text)]
        return start < self._end and not _blank(line) and not _ITEM.match(line)


def _blank(line: str) -> bool:
    return not line.strip(" \t>")


class Twins:
    """Derives the twins of the chunks of one page."""

    def __init__(self, context: Context, base: Callable[[Place], str]) -> None:
        self._links = context.links
        self._words = context.words
        self._base = base

    def text(self, chunk: Chunk) -> str:
        """The whole chunk."""
        chunk.edits.sort(key=_order)
        return self._part(chunk, 0, len(chunk.text))

    def _part(self, chunk: Chunk, start: int, end: int) -> str:
        """The text of a part of the chunk, with its edits."""
        first, last = bisect_left(chunk.edits, start, key=_start), bisect_left(chunk.edits, end, key=_start)
        if first == last:
            return chunk.text[start:end]
        writer = ChunkWriter(chunk, start, end)
        for edit in chunk.edits[first:last]:
            if edit.start >= writer.pos:
                new = edit.new if isinstance(edit.new, str) else self._of(edit.new, Place(chunk, edit.start))
                (writer.block if edit.block else writer.inline)(edit.start, edit.end, new)
        return writer.finish()

    def _of(self, part: TwinPart, place: Place) -> str:
        """Return the twin's text for a component, or for an element whose tags go."""
        if part.component is None:
            return twin.blocks([part.notice, _trim(self.text(part.content)) if part.content else ""])
        return self._plain(part.component, place).twin(list(self._children(part)), self._words)

    def _children(self, part: TwinPart) -> Iterator[Child]:
        if part.title is not None:
            yield Child("title", self.text(part.title))
        if part.content is not None:
            yield from self._parts(part.content)

    def _parts(self, chunk: Chunk) -> Iterator[Child]:
        """The chunk as children of its component, in order."""
        chunk.edits.sort(key=_order)
        pos = 0
        for start, end, mark in _marks(chunk):
            if start < pos:
                continue
            yield from _text(self._part(chunk, pos, start))
            if isinstance(mark, str):
                yield _fence(chunk.text[start:end], mark)
            elif mark.component is not None:
                place = Place(chunk, start)
                component = self._plain(mark.component, place)
                yield Child("component", self._of(mark, place), component)
            else:
                yield from _text(mark.notice)
                yield from self._parts(mark.content) if mark.content is not None else ()
            pos = _after_blanks(chunk.text, end)
        yield from _text(self._part(chunk, pos, len(chunk.text)))

    def _plain(self, component: Component, place: Place) -> Component:
        """The component with absolute links."""
        asked = link_attributes(type(component)).items()
        kinds = {name: kind for name, kind in asked if getattr(component, name)}
        base = self._base(place) if kinds else ""
        absolute = {
            name: self._links.resolve(getattr(component, name), base, kind).absolute
            for name, kind in kinds.items()
        }
        return replace(component, **absolute) if absolute else component


def _start(edit: Edit) -> int:
    return edit.start


def _order(edit: Edit) -> tuple[int, int]:
    """By where they begin; of those that begin together the widest, in which the others are, comes first."""
    return edit.start, -edit.end


def _marks(chunk: Chunk) -> list[tuple[int, int, TwinPart | str]]:
    """The code blocks (with their info) and components that are children themselves, in order."""
    marks: list[tuple[int, int, TwinPart | str]] = [*chunk.fences]
    marks.extend(
        (edit.start, edit.end, edit.new)
        for edit in chunk.edits
        if isinstance(edit.new, TwinPart) and edit.new.direct
    )
    return sorted(marks, key=lambda mark: mark[0])


def _text(text: str) -> Iterator[Child]:
    trimmed = _trim(text)
    if trimmed:
        yield Child("text", trimmed)


def _trim(text: str) -> str:
    """Without empty lines before and after; the first line keeps its indentation."""
    return _EMPTY_LINES.sub("", text).rstrip()


def _after_blanks(text: str, pos: int) -> int:
    while text[pos : pos + 1] in {" ", "\t"}:
        pos += 1
    return pos


def _fence(source: str, info: str) -> Child:
    """A code block as its author wrote it, at the margin."""
    first, *rest = source.split("\n")
    indent = width(first)
    lines = [without(line, indent) for line in (first, *rest)]
    if width(lines[-1]) >= CODE and not lines[-1].strip(f"{lines[0][0]} \t"):  # it would not close the block
        lines[-1] = lines[-1].strip()
    read = fences.info(info)
    return Child("fence", "\n".join(lines).rstrip(), title=read.title, language=read.language)
