"""Rewrite pages of MkDocs: blocks, lists of attributes, marks, fences, what extensions and plugins put in."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from builder.importer.indented_blocks import STEP, Block, indented_blocks
from builder.importer.page_work import PageWork
from builder.importer.pieces import Piece
from builder.markdown.mdx.tag_hints import kind_of

_HEADING_LIST = re.compile(
    r"^(?P<head>[ ]*#{1,6}[ \t][^\n]*?)[ \t]*\{:?(?P<list>[^{}\n]*)\}[ \t]*$", re.MULTILINE
)
_LIST = re.compile(r"\{:?[ \t]*(?:[#.][\w-]|[\w-]+=)[^{}\n]*\}")
_ID = re.compile(r"(?:^|\s)#([^\s.#{}]+)")
_CROSS = re.compile(r"\[(?P<text>(?:[^\[\]\\\n]|\\.)*)\]\[(?P<id>[\w.]*)\]")
_DEFINED = re.compile(r"^[ ]{0,3}\[(?!\^)([^\]\n]+)\]:", re.MULTILINE)
_AUTODOC = re.compile(
    r"^(?P<indent>[ ]*):::[ ]+(?P<name>[\w.]+)[ ]*$(?P<options>(?:\n[ ]{4,}[^\n]*)*)", re.MULTILINE
)
_EXPRESSION = re.compile(r"\{\{[^{}\n]*\}\}|\{%[^\n%{]*%\}")
_TOC = re.compile(r"^[ ]*\[TOC\][ ]*$\n?", re.MULTILINE)
_KEYS = re.compile(r"\+\+[\w\"'+ -]+\+\+")
_MARK = re.compile(r"==(?=\S)([^=\n]+?)(?<=\S)==")
_INSERT = re.compile(r"\^\^(?=\S)([^\^\n]+?)(?<=\S)\^\^")
_ICON = re.compile(r":(?:material|fontawesome|octicons|simple)-[\w-]+:")
_INFO = re.compile(r"[ \t>]*(?P<ticks>`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)[ \t]*(?P<rest>[^\n]*)")
_OPTION = re.compile(r"(?P<name>[\w-]+)=(?:\"(?P<quoted>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s}]+))")


def rewrite(work: PageWork) -> None:
    """Rewrite a page of MkDocs."""
    _Page(work).rewrite()


class _Page:
    """A page that is rewritten."""

    def __init__(self, work: PageWork) -> None:
        self._work = work
        self._rewriting = work.rewriting
        self._lines = work.rewriting.text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def rewrite(self) -> None:
        """Rewrite all forms."""
        rewriting = self._rewriting
        blocks = indented_blocks(rewriting.source)
        for group in _groups(blocks, self._lines):
            self._blocks(group)
        for piece in rewriting.source.pieces:
            if piece.sort == "fence":
                self._fence(piece)
        rewriting.each(_HEADING_LIST, self._heading)
        rewriting.each(_LIST, self._list)
        rewriting.each(_AUTODOC, self._autodoc)
        rewriting.each(_TOC, lambda found: rewriting.replace(found.start(), found.end(), ""))
        rewriting.each(
            _EXPRESSION, lambda found: rewriting.tell("template expression", found.start(), found[0])
        )
        rewriting.each(_KEYS, lambda _: self._extra("keys"))
        rewriting.each(_MARK, lambda found: self._wrapped(found, "mark"))
        rewriting.each(_INSERT, lambda found: self._wrapped(found, "ins"))
        rewriting.each(_ICON, self._icon)
        self._references()

    def _extra(self, name: str) -> None:
        self._rewriting.extras.add(name)
        self._work.needs_mdx = True

    def _wrapped(self, found: re.Match[str], tag: str) -> None:
        self._rewriting.replace(found.start(), found.start(1), f"<{tag}>")
        self._rewriting.replace(found.end(1), found.end(), f"</{tag}>")

    def _icon(self, found: re.Match[str]) -> None:
        self._rewriting.tell("icon", found.start(), found[0])
        self._rewriting.replace(found.start(), found.end(), "")

    def _blocks(self, group: Sequence[Block]) -> None:
        """Rewrite blocks that are one: a group of tabs, or one alone."""
        self._work.needs_mdx = True
        first, last = group[0], group[-1]
        for block in group:
            begin, end = self._signs(block)
            lead = "" if first.line == 0 or not self._lines[first.line - 1].strip() else "\n"
            before = (
                f"{lead}<Tabs>\n" if _is_tab(block) and block is first else lead if block is first else ""
            )
            self._open(block, f"{before}{begin}")
            self._close(block, f"{end}\n</Tabs>" if _is_tab(block) and block is last else end)
            self._dedent(block)

    def _signs(self, block: Block) -> tuple[str, str]:
        """Return the lines that open and close a block here."""
        title = block.title
        if _is_tab(block):
            label = html.escape((title or "").strip("`"), quote=True)
            return f'<TabItem label="{label}">\n', "\n</TabItem>"
        name = block.words[0] if block.words else "note"
        if block.sort == "details" or name == "details":
            shown = title if title is not None else name.capitalize()
            return f"<details>\n<summary>{html.escape(shown, quote=False)}</summary>\n", "\n</details>"
        kind = kind_of(name)
        if not kind:
            self._rewriting.tell(
                f"block {name}", self._starts[block.line], self._lines[block.line], ":::note", "changed"
            )
        colons = ":" * (3 + self._depth(block))
        shown = title if title is not None else "" if kind == name else name.replace("-", " ").capitalize()
        return f"{colons}{kind or 'note'}{f' {shown}' if shown else ''}", colons

    def _depth(self, block: Block) -> int:
        inner = (
            line
            for line in self._lines[block.first : block.end]
            if re.match(r"[ ]*(?:!!!|/{3,}[ ]*\w)", line)
        )
        return min(sum(1 for _ in inner), 5)

    def _open(self, block: Block, text: str) -> None:
        indent = " " * block.indent
        start, end = self._starts[block.line], self._starts[block.first] - 1
        shown = "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))
        self._rewriting.replace(start, min(end, len(self._rewriting.text)), shown)

    def _close(self, block: Block, text: str) -> None:
        indent = " " * block.indent
        shown = "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))
        if block.close >= 0:
            start, end = self._starts[block.close], self._starts[block.close + 1] - 1
            self._rewriting.replace(start, min(end, len(self._rewriting.text)), shown)
            return
        at = min(self._starts[block.end] - 1, len(self._rewriting.text))
        self._rewriting.insert(at, f"\n{shown}")

    def _dedent(self, block: Block) -> None:
        """Move the content of a block to the left, to the column of its sign."""
        for number in range(block.first, block.end if block.dedents else block.first):
            if self._lines[number].strip():
                start = self._starts[number] + block.indent
                self._rewriting.replace(start, start + STEP, "")

    def _fence(self, piece: Piece) -> None:
        """Write the options of a fence as they are written here."""
        found = _INFO.match(self._rewriting.text, piece.start)
        if found is None or not found["rest"].strip():
            return
        rest, language = found["rest"].strip(), found["lang"]
        named = re.match(r"\{\s*\.([\w-]+)", rest)
        language = language or (named[1] if named else "")
        options = {
            one["name"]: one["quoted"] or one["single"] or one["bare"] or "" for one in _OPTION.finditer(rest)
        }
        parts = [language]
        if lines := options.get("hl_lines"):
            parts.append(f"{{{','.join(lines.replace(',', ' ').split())}}}")
        if "linenums" in options:
            parts.append("showLineNumbers")
        if title := options.get("title"):
            parts.append(f'title="{title}"')
        self._rewriting.replace(found.start("lang"), found.end("rest"), " ".join(filter(None, parts)))

    def _heading(self, found: re.Match[str]) -> None:
        id_ = _ID.search(found["list"])
        self._rewriting.replace(found.end("head"), found.end(), f" {{#{id_[1]}}}" if id_ else "")

    def _list(self, found: re.Match[str]) -> None:
        """Remove a list of attributes; an id of its own becomes an anchor."""
        id_ = _ID.search(found[0][1:-1].lstrip(":"))
        text = self._rewriting.text
        if text.startswith("#", text.rfind("\n", 0, found.start()) + 1):
            return
        if id_ and text[max(0, found.start() - 4) : found.start()] == "[]()":
            self._rewriting.replace(found.start() - 4, found.end(), f'<a id="{id_[1]}"></a>')
            return
        self._rewriting.replace(found.start(), found.end(), f'<a id="{id_[1]}"></a>' if id_ else "")
        if not id_:
            self._rewriting.tell("list of attributes", found.start(), found[0])

    def _autodoc(self, found: re.Match[str]) -> None:
        name = found["name"]
        self._rewriting.tell(
            "documentation from docstrings", found.start(), found[0], "its name stands for it"
        )
        text = f'{found["indent"]}<a id="{name}"></a>`{name}`'
        self._rewriting.replace(found.start(), found.end(), text)

    def _references(self) -> None:
        """Keep the text of references to names that plugins know."""
        text = self._rewriting.text
        defined = {name.casefold() for name in _DEFINED.findall(text)}
        code = [piece for piece in self._rewriting.source.pieces if piece.sort == "fence"]
        for found in _CROSS.finditer(text):
            target = (found["id"] or found["text"]).casefold()
            if target in defined or any(piece.start <= found.start() < piece.end for piece in code):
                continue
            if "." in target or found["text"].startswith("`"):
                self._rewriting.tell(
                    "reference to a documented name", found.start(), found[0], found["text"], "changed"
                )
                self._rewriting.replace(found.start(), found.start() + 1, "")
                self._rewriting.replace(found.end("text"), found.end(), "")


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
