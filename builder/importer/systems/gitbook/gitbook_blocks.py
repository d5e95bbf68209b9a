"""The blocks of GitBook, `{% name given="x" %}` to `{% endname %}`, as they stand in the text of a page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece

_BLOCK = re.compile(
    r"\{%-?[ \t]*(?P<end>end)?(?P<name>[A-Za-z][\w-]*)(?P<rest>(?:[^%{]|%(?!\})|\{(?!%)){0,3000}?)/?-?%\}"
)
_GIVEN = re.compile(
    r"(?P<name>[\w-]+)=(?:\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'%]+))"
)
_QUOTED = re.compile(r"\s*\"(?P<text>[^\"\n]*)\"")


class GitBookBlock(Struct, eq=False):
    """One end of a block, from `start` to `end`; `partner` is the other one, where there is one.

    `number` is its place among the page's blocks; one that `is_done` has its new text already.
    """

    number: int
    start: int
    end: int
    name: str
    is_end: bool
    rest: str
    given: Mapping[str, str]
    partner: GitBookBlock | None = None
    is_done: bool = False

    @property
    def quoted(self) -> str:
        """The text in quotes that follows the name."""
        found = _QUOTED.match(self.rest)
        return found["text"] if found else ""

    def value(self, *names: str) -> str:
        """Return the first attribute that is given and has a text, else ""."""
        return next((found for name in names if (found := self.given.get(name, "").strip())), "")


class BlockText(Struct):
    """A page's blocks in order, without those in code."""

    work: PageWork
    blocks: list[GitBookBlock] = field(default_factory=list)
    _code: Sequence[SourcePiece] = ()
    _starts: Sequence[int] = ()

    @staticmethod
    def of(work: PageWork) -> BlockText:
        """Find the blocks of a page, and which ends belong together. Total."""
        code = [piece for piece in work.rewriting.source.pieces if piece.sort in {"fence", "code"}]
        text = BlockText(work, [], code, [piece.start for piece in code])
        open_: list[GitBookBlock] = []
        for match in _BLOCK.finditer(work.rewriting.text):
            if not text.in_code(match.start()):
                block = _block(match, len(text.blocks))
                text.blocks.append(block)
                _pair(block, open_)
        return text

    def in_code(self, at: int) -> bool:
        """Return whether a place is in code."""
        before = bisect_right(self._starts, at) - 1
        return before >= 0 and at < self._code[before].end

    @property
    def text(self) -> str:
        """The page's text as it was."""
        return self.work.rewriting.text

    def inner(self, block: GitBookBlock) -> str:
        """Return what stands between the two ends of a block."""
        return self.text[block.end : block.partner.start] if block.partner is not None else ""

    def replace(self, block: GitBookBlock, text: str) -> None:
        """Put a text in the place of one end."""
        self.work.needs_mdx = True
        self.work.rewriting.replace(block.start, block.end, text)

    def drop(self, block: GitBookBlock) -> None:
        """Remove both ends, and keep what is between them."""
        for each in (block, block.partner):
            if each is not None:
                each.is_done = True
                self.work.rewriting.remove_lines(each.start, each.end)

    def after(self, block: GitBookBlock) -> GitBookBlock | None:
        """Return the next block."""
        return self.blocks[block.number + 1] if block.number + 1 < len(self.blocks) else None

    def whole(self, block: GitBookBlock, text: str) -> None:
        """Put a text in the place of a block with all that is in it."""
        end = block.partner.end if block.partner is not None else block.end
        self.work.rewriting.replace(block.start, end, text)
        if block.partner is not None:
            block.partner.is_done = True

    def pair(self, block: GitBookBlock, begin: str, end: str) -> None:
        """Put texts in the place of both ends, which keep their indentation."""
        indent = self.work.rewriting.indent(block.start)
        for each, shown in ((block, begin), (block.partner, end)):
            if each is not None and not shown:
                each.is_done = True
                self.work.rewriting.remove_lines(each.start, each.end)
            elif each is not None:
                each.is_done = True
                self.replace(each, self._spaced(each, shown).replace("\n", f"\n{indent}"))

    def _spaced(self, block: GitBookBlock, shown: str) -> str:
        """Return a text with no further line end where an empty line is already."""
        if self.text.startswith("\n\n", block.end):
            shown = shown.rstrip("\n")
        return shown.lstrip("\n") if self.text.endswith("\n\n", 0, block.start) else shown

    def first_fence(self, block: GitBookBlock) -> SourcePiece | None:
        """Return the code that a block begins with."""
        at = bisect_right(self._starts, block.end - 1)
        fence = self._code[at] if at < len(self._code) else None
        is_near = fence is not None and not self.text[block.end : fence.start].strip()
        return fence if fence is not None and fence.sort == "fence" and is_near else None


def _block(match: re.Match[str], number: int) -> GitBookBlock:
    given = {
        one["name"]: (one["quoted"] or one["single"] or one["bare"] or "").replace('\\"', '"')
        for one in _GIVEN.finditer(match["rest"])
    }
    place = number, match.start(), match.end()
    return GitBookBlock(*place, match["name"], bool(match["end"]), match["rest"].strip(), given)


def _pair(block: GitBookBlock, open_: list[GitBookBlock]) -> None:
    """Bind an end to the nearest begin of its name; begins in between have none."""
    if not block.is_end:
        open_.append(block)
        return
    for number in range(len(open_) - 1, max(-1, len(open_) - 200), -1):
        if open_[number].name == block.name:
            open_[number].partner, block.partner = block, open_[number]
            del open_[number:]
            return
