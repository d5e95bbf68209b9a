"""Move blocks that stand too deep to the left in the twin.

Within a component nothing is code for its indentation. In plain markdown it is, from four columns on, so a
chunk with such blocks is written with each block at the margin of the list item or quote that it stands in:

    - item                            - item
                                  ->
          a paragraph of the item       a paragraph of the item

Chunks without such blocks stay as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it.rules_block import StateBlock
from msgspec import Struct, field

from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.mdx.dedent_children import without

CODE = 4
"""The columns from which on a block would be code."""

_BLANKS = " \t"
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})


class _Blanks(Struct):
    """White space before a block in one line: where it ends, and how many of its columns go."""

    end: int
    loss: int = 0


class Outdent(Struct):
    """The white space of one chunk that may go, by where it begins, and whether a block stands too `deep`."""

    deep: bool = False
    _blanks: dict[int, _Blanks] = field(default_factory=dict)

    def block(self, state: StateBlock, line: int, begin: int) -> None:
        """Take note of the block from `line` to the line of the state; its tokens begin at `begin`."""
        kind = state.tokens[begin].type if begin < len(state.tokens) else ""
        if kind in _LISTS:
            for first, end in _items(state, begin):
                self._follow(state, first, end)
        elif kind == "footnote_reference_open":
            self._follow(state, line, state.line)
        elif kind == "fence":
            end = state.line - _is_closed(state, begin)
            self._follow(state, line, end)
            self._align(state, range(end, state.line))
        elif kind == "paragraph_open":  # which goes on as deep as it likes
            for number in range(line, state.line):
                self._lose(state, number, _excess(state, number))
                self.deep |= _excess(state, number) >= CODE and (number == line or _goes(state, number - 1))
        else:
            self._align(state, range(line, state.line))

    def first(self, state: StateBlock, line: int) -> None:
        """Take note of a block of which nothing but the first line is written."""
        self._align(state, range(line, line + 1))

    def apply(self, chunk: Chunk) -> None:
        """Make the edits, if any block stands too deep."""
        for start, blanks in self._blanks.items() if self.deep else ():
            chunk.edit(start, blanks.end, without(chunk.text[start : blanks.end], blanks.loss))

    def _follow(self, state: StateBlock, line: int, end: int) -> None:
        """All lines go to the left by as much as the first does, but none out of what holds the block."""
        self._align(state, range(line, line + 1))
        excess = _excess(state, line)
        for number in range(line + 1, end) if excess else ():
            self._lose(state, number, min(excess, _excess(state, number)))

    def _align(self, state: StateBlock, lines: range) -> None:
        """Lines that begin a block, or go on with one only if they do not stand too deep."""
        for number in lines:
            if not state.isEmpty(number):
                self.deep |= _excess(state, number) >= CODE
                self._lose(state, number, _excess(state, number))

    def _lose(self, state: StateBlock, line: int, columns: int) -> None:
        if not columns:
            return
        begin, end = state.bMarks[line], state.bMarks[line] + state.tShift[line]
        start = begin + len(state.src[begin:end].rstrip(_BLANKS))
        self._blanks.setdefault(start, _Blanks(end)).loss += columns


def _excess(state: StateBlock, line: int) -> int:
    """By how many columns a line stands further in than what holds it."""
    return max(0, state.sCount[line] - state.blkIndent)


def _goes(state: StateBlock, line: int) -> bool:
    """Return whether a line of text may be a tag alone, which leaves an empty line behind when it goes."""
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip(_BLANKS)
    return text[:1] + text[-1:] in {"<>", "{}"}


def _items(state: StateBlock, begin: int) -> Iterator[tuple[int, int]]:
    """The lines of each item of the list whose tokens begin at `begin`."""
    level = state.tokens[begin].level + 1
    for token in state.tokens[begin:]:
        if token.type == "list_item_open" and token.level == level and token.map:
            yield token.map[0], token.map[1]


def _is_closed(state: StateBlock, begin: int) -> bool:
    """Return whether the last of the fence's lines closes it; its token is at `begin`."""
    fence, last = state.tokens[begin], state.line - 1
    text = state.src[state.bMarks[last] + state.tShift[last] : state.eMarks[last]].rstrip(_BLANKS)
    opens = fence.map is not None and fence.map[0] == last
    return not opens and text.startswith(fence.markup) and not text.strip(fence.markup[0])
