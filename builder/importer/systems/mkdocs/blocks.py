"""Rewrite the blocks of Python-Markdown: admonitions, what opens, tabs, blocks between slashes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from builder.importer.page_work import PageWork
from builder.importer.systems.mkdocs.indented_blocks import STEP, Block, indented_blocks
from builder.markdown.mdx.tag_hints import kind_of

_TYPE = re.compile(r"^[ ]{4,}type:[ ]*['\"]?([\w-]+)", re.MULTILINE)
_DEEPER = re.compile(r"[ ]*(?:!!!|/{3,}[ ]*\w)")
_FENCE = re.compile(r"[ ]*(`{3,}|~{3,})")
_LOOKS = frozenset({"inline", "end", "annotate", "highlight"})
_PLAIN = frozenset({"caption", "figure-caption", "html", "define", "figure"})
"""Blocks between slashes whose text stays alone."""


def rewrite_blocks(work: PageWork) -> None:
    """Rewrite all blocks of a page."""
    blocks = indented_blocks(work.rewriting.source)
    if blocks:
        _Blocks(work, blocks).rewrite()


class _Blocks:
    """The blocks of one page."""

    def __init__(self, work: PageWork, blocks: Sequence[Block]) -> None:
        self._work = work
        self._rewriting = work.rewriting
        self._blocks = blocks
        self._lines = work.rewriting.text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._closing: list[tuple[int, int, str]] = []
        self._moved = [0] * (len(self._lines) + 1)
        for block in blocks:
            for number in range(block.first, block.end) if block.dedents else ():
                self._moved[number] += STEP

    def rewrite(self) -> None:
        """Rewrite them, tabs of one group together."""
        self._work.needs_mdx = True
        for group in _groups(self._blocks, self._lines):
            if _is_tab(group[0]) and all(map(self._is_only_code, group)):
                self._code_group(group)
            else:
                self._group(group)
        for _, at, text in sorted(self._closing, reverse=True):  # what is within another ends before it
            self._rewriting.insert(at, text)

    def _group(self, group: Sequence[Block]) -> None:
        first, last = group[0], group[-1]
        for block in group:
            begin, end = self._signs(block)
            is_spaced = block.first < len(self._lines) and not self._lines[block.first].strip()
            begin = begin.removesuffix("\n") if is_spaced else begin
            lead = self._lead(first) if block is first else ""
            before = "<Tabs>\n" if _is_tab(block) and block is first else ""
            self._open(block, f"{lead}{before}{begin}")
            self._close(block, f"{end}\n</Tabs>" if _is_tab(block) and block is last else end)
            self._dedent(block)

    def _code_group(self, group: Sequence[Block]) -> None:
        """Write tabs that hold a fence each as code under tabs."""
        labels = ",".join(_label(block).replace(",", "\\,") for block in group)
        shown = html.escape(labels, quote=True)
        for block in group:
            lead = f'{self._lead(block)}<CodeGroup labels="{shown}">\n' if block is group[0] else ""
            self._open(block, lead)
            if block.close >= 0 or block is group[-1]:
                self._close(block, "\n</CodeGroup>" if block is group[-1] else "")
            self._dedent(block)

    def _is_only_code(self, block: Block) -> bool:
        """Return whether a tab holds one fence and nothing else."""
        lines = [line for line in self._lines[block.first : block.end] if line.strip()]
        opening = _FENCE.match(lines[0]) if lines else None
        if opening is None or lines[-1].strip() != opening[1]:
            return False
        return sum(line.strip().startswith(opening[1]) for line in lines) == 2

    def _lead(self, block: Block) -> str:
        return "" if block.line == 0 or not self._lines[block.line - 1].strip() else "\n"

    def _signs(self, block: Block) -> tuple[str, str]:
        """Return the lines that open and close a block here."""
        if _is_tab(block):
            return f'<TabItem label="{html.escape(_label(block), quote=True)}">\n', "\n</TabItem>"
        words = [word for word in block.words if word not in _LOOKS]
        if len(words) < len(block.words):
            self._tell(block, "place of a block beside the text", "it stands in the text")
        name = words[0] if words else "note"
        if block.sort == "slashes" and name in _PLAIN:
            self._tell(block, f"block {name}", "its text")
            return "", ""
        if name in {"admonition", "details"} and block.sort == "slashes":
            return self._typed(block, name)
        if block.sort == "details":
            return self._opened(block, name)
        return self._admonition(block, name)

    def _typed(self, block: Block, name: str) -> tuple[str, str]:
        """A block whose type is an option below its name."""
        options = "\n".join(self._lines[block.line + 1 : block.first])
        given = _TYPE.search(options)
        type_ = given[1] if given else "note"
        return self._admonition(block, type_) if name == "admonition" else self._opened(block, type_)

    def _opened(self, block: Block, name: str) -> tuple[str, str]:
        shown = block.title or name.capitalize()
        return f"<details>\n<summary>{html.escape(shown, quote=False)}</summary>\n", "\n</details>"

    def _admonition(self, block: Block, name: str) -> tuple[str, str]:
        kind, title = kind_of(name), block.title
        readable = name.replace("-", " ").capitalize()
        if not kind:
            self._tell(block, f"block {name}", ":::note")
            title = f"{readable}: {title}" if title else readable
        shown = title if title is not None else "" if kind == name else readable
        colons = ":" * (3 + self._depth(block))
        return f"{colons}{kind or 'note'}{f' {shown}' if shown else ''}", colons

    def _tell(self, block: Block, what: str, now: str) -> None:
        self._rewriting.tell(what, self._starts[block.line], self._lines[block.line].strip(), now, "changed")

    def _depth(self, block: Block) -> int:
        inner = sum(1 for line in self._lines[block.first : block.end] if _DEEPER.match(line))
        return min(inner, 5)

    def _open(self, block: Block, text: str) -> None:
        start, end = self._starts[block.line], self._starts[block.first] - 1
        shown = self._shown(block, text)
        self._rewriting.replace(start, min(end, len(self._rewriting.text)), shown)

    def _shown(self, block: Block, text: str) -> str:
        """Return lines with the indentation that the block has when those round it have moved."""
        indent = " " * max(0, block.indent - self._moved[block.line])
        return "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))

    def _close(self, block: Block, text: str) -> None:
        shown, most = self._shown(block, text), len(self._rewriting.text)
        if block.close >= 0:
            start, end = self._starts[block.close], self._starts[block.close + 1] - 1
            self._rewriting.replace(start, min(end, most), shown)
            return
        at = self._starts[block.end]  # the next line: the last one of the block may go
        text = f"{shown}\n" if at <= most else f"\n{shown}"
        self._closing.append((block.line, min(at, most), text))

    def _dedent(self, block: Block) -> None:
        """Move the content of a block to the left, to the column of its sign."""
        for number in range(block.first, block.end if block.dedents else block.first):
            if self._lines[number].strip():
                start = self._starts[number] + block.indent
                self._rewriting.replace(start, start + STEP, "")


def _label(block: Block) -> str:
    return re.sub(r"`", "", re.sub(r":[\w-]+:\s*", "", block.title or "")).strip() or "Tab"


def _is_tab(block: Block) -> bool:
    return block.sort == "tab" or (block.sort == "slashes" and block.words[:1] == ("tab",))


def _groups(blocks: Sequence[Block], lines: Sequence[str]) -> Iterator[Sequence[Block]]:
    """Yield blocks: tabs of one group together, all others alone."""
    open_: dict[int, list[Block]] = {}
    for block in blocks:
        run = open_.get(block.indent)
        if run and (not _is_tab(block) or not _follows(run[-1], block, lines)):
            yield open_.pop(block.indent)
        if _is_tab(block):
            open_.setdefault(block.indent, []).append(block)
        else:
            yield [block]
    yield from open_.values()


def _follows(before: Block, block: Block, lines: Sequence[str]) -> bool:
    end = before.close + 1 if before.close >= 0 else before.end
    return block.line >= end and not any(line.strip() for line in lines[end : block.line])
