"""A body as plain markdown: each chunk with its edits made, each component as it says itself in markdown."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from msgspec.structs import replace

from builder.code import info as fences
from builder.lazy_regex import lazy
from builder.markdown.context import Context
from builder.markdown.html.assembly import link_attributes
from builder.markdown.mdx.chunk.chunks import Chunk, Edit, Part
from builder.markdown.mdx.indent import width, without
from builder.markdown.mdx.outdent import CODE
from builder.markdown.twin.writer import Writer
from components.base import Child, Component

_EMPTY_LINES = lazy(r"\A(?:[ \t]*\n)+")


class Twins:
    """Derives the twins of the chunks of one page."""

    def __init__(self, context: Context, path: str) -> None:
        self._links = context.links
        self._words = context.words
        self._path = path

    def text(self, chunk: Chunk) -> str:
        """The whole chunk."""
        chunk.edits.sort(key=_order)
        return self._part(chunk, 0, len(chunk.text))

    def _part(self, chunk: Chunk, start: int, end: int) -> str:
        """The text of a part of the chunk, with its edits."""
        first, last = bisect_left(chunk.edits, start, key=_start), bisect_left(chunk.edits, end, key=_start)
        if first == last:
            return chunk.text[start:end]
        writer = Writer(chunk, start, end)
        for edit in chunk.edits[first:last]:
            if edit.start >= writer.pos:
                new = edit.new if isinstance(edit.new, str) else self._of(edit.new)
                (writer.block if edit.block else writer.inline)(edit.start, edit.end, new)
        return writer.finish()

    def _of(self, part: Part) -> str:
        """What stands for a component, or for an element whose tags go."""
        if part.notice:
            return part.notice
        if part.component is None:
            return _trim(self.text(part.content)) if part.content else ""
        return self._plain(part.component).twin(list(self._children(part)), self._words)

    def _children(self, part: Part) -> Iterator[Child]:
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
                component = self._plain(mark.component)
                yield Child("component", self._of(mark), component)
            elif mark.content is not None:
                yield from self._parts(mark.content)
            else:
                yield from _text(mark.notice)
            pos = _after_blanks(chunk.text, end)
        yield from _text(self._part(chunk, pos, len(chunk.text)))

    def _plain(self, component: Component) -> Component:
        """The component with absolute links."""
        names = [name for name in link_attributes(type(component)) if getattr(component, name)]
        absolute = {
            name: self._links.resolve(getattr(component, name), self._path).absolute for name in names
        }
        return replace(component, **absolute) if absolute else component


def _start(edit: Edit) -> int:
    return edit.start


def _order(edit: Edit) -> tuple[int, int]:
    """By where they begin; of those that begin together the widest, in which the others are, comes first."""
    return edit.start, -edit.end


def _marks(chunk: Chunk) -> list[tuple[int, int, Part | str]]:
    """The code blocks (with their info) and components that are children themselves, in order."""
    marks: list[tuple[int, int, Part | str]] = [
        (chunk.bounds(first)[0], chunk.bounds(last - 1)[1], info) for first, last, info in chunk.fences
    ]
    marks.extend(
        (edit.start, edit.end, edit.new)
        for edit in chunk.edits
        if isinstance(edit.new, Part) and edit.new.direct
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
