"""The block parser's state, with the chunk it parses."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType
from msgspec import Struct

from builder.markdown.commonmark.parser_states import BlockState
from builder.markdown.mdx.chunk.chunks import Chunk, Place
from builder.markdown.mdx.cursor.reading import DEEPEST, MOST_MARKS, WITHHELD, Reading, reading
from builder.markdown.mdx.cursor.regions import Region, limit
from builder.markdown.mdx.twin_outdent import Outdent


class Within(Struct, frozen=True):
    """The surroundings of a chunk: `level` blocks deep, as a child of the component `owner`, or "" for none.

    Levels are counted over all chunks. `depth` is the number of chunks around it. Pairs of tags in it were
    found in `region` already.
    """

    level: int = 0
    owner: str = ""
    depth: int = 0
    region: Region | None = None


class ChunkState(BlockState):
    """The state of parsing `chunk`, which stands `within` another.

    `markup` is the last line on which a component or its like began.
    """

    def __init__(
        self,
        chunk: Chunk,
        md: MarkdownIt,
        env: EnvType,
        tokens: list[Token],
        *,
        within: Within,
    ) -> None:
        super().__init__(chunk.text, md, env, tokens)
        self.chunk = chunk
        self.flat = chunk.body is not None
        self._code_enabled = not self.flat  # what markdown-it's rules ask before they take a line for code
        self.level = self.base = within.level
        self.owner = within.owner
        self.depth = within.depth
        self.outer = within.region
        self.reading: Reading = reading(env)
        self.reading.marks += self.lineMax
        self.markup = -1
        self._outdent = Outdent()
        self._regions: dict[tuple[int, int, int], Region] = {}

    @property
    def direct(self) -> bool:
        """True if the current line stands in the chunk itself, not in a list or quote within."""
        return self.level == self.base

    def place(self, line: int) -> Place:
        """The place at which the text of `line` begins."""
        return Place(self.chunk, self.bMarks[line] + self.tShift[line])

    @property
    def too_deep(self) -> bool:
        """True if nothing that stands here may hold anything more."""
        return self.level >= DEEPEST or self.depth >= DEEPEST

    @property
    def exhausted(self) -> bool:
        """True if too much was looked at already to pair any more tags."""
        return self.reading.marks > MOST_MARKS

    def region(self, line: int, end: int) -> Region:
        """The region that `line` is in, within a container that ends before the line `end` at the latest."""
        key = (end, self.blkIndent, self.level)
        known = self._regions.get(key)
        if known is None or not known.holds(line):
            outer = self.outer if self.direct and not self.blkIndent else None
            known = self.fresh_region(line, end, outer)
        return known

    def fresh_region(self, line: int, end: int, outer: Region | None = None) -> Region:
        """A region that begins with `line`, for when another one took the line for code."""
        numbers = range(line, limit(self, line, end))
        lines = [self.src[self.bMarks[number] : self.eMarks[number]] for number in numbers]
        read = self.reading
        made = Region.of(self.chunk, line, lines, outer, read.components, math="math" in read.extras)
        self._regions[end, self.blkIndent, self.level] = made
        self.reading.marks += len(made.text) // 64
        return made

    def placed(self, line: int, begin: int) -> None:
        """Take note of how deep a block stands."""
        if self.markup == line:
            self._outdent.first(self, line)
        else:
            self._outdent.block(self, line, begin)

    def unparsed(self, line: int, end: int) -> str:
        """Return the text to show of lines that are past a budget."""
        if not self.reading.locked:
            return super().unparsed(line, end)
        self.chunk.edit(self.bMarks[line] + self.tShift[line], self.eMarks[end - 1], WITHHELD, block=True)
        return WITHHELD

    def parse(self) -> None:
        """Parse the whole chunk; its tokens follow those that are there."""
        if self.lineMax:
            self.md.block.tokenize(self, 0, self.lineMax)
            self._outdent.apply(self.chunk)
