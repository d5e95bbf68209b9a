"""Blocks of Python-Markdown and its extensions: a line that opens one, and lines indented by four below it.

    !!! type "Title"        an admonition;  ??? and ???+ one that opens
    === "Label"             a tab; those that follow one another are one group
    /// name | Title        a block of any name, to a line of as many slashes

https://facelessuser.github.io/pymdown-extensions/ has all forms. Blocks nest; what opens one in a fence or
in a list item counts from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from builder.importer.pieces import SourceText

Sort = Literal["admonition", "details", "tab", "slashes"]

_OPENING = re.compile(
    r"(?P<indent>[ ]*)(?:(?P<sign>!!!|\?\?\?\+?|===[!+]*)[ ]*(?P<words>[\w -]*?)[ ]*"
    r"(?:\"(?P<title>.*?)\")?[ ]*(?P<list>\{[^{}]*\})?[ ]*|"
    r"(?P<slashes>/{3,})[ ]*(?P<name>[\w-]+)[ ]*(?:\|[ ]*(?P<text>.*?))?[ ]*)$"
)
_CLOSING = re.compile(r"[ ]*(?P<slashes>/{3,})[ ]*$")
_OPTION = re.compile(r"[ ]{4,}[\w-]+:")
STEP = 4
"""Blanks by which the content of a block is indented."""


class Block(Struct, frozen=True):
    """A block from `line` on, numbers of lines from 0. Its content is the lines from `first` to before `end`.

    `close` is the line that ends it, or -1. `words` are those behind the sign: the type, and more.
    """

    sort: Sort
    indent: int
    line: int
    first: int
    end: int
    words: tuple[str, ...] = ()
    title: str | None = None
    close: int = -1
    is_open: bool = False
    dedents: bool = True


def indented_blocks(source: SourceText) -> list[Block]:
    """Return all blocks of a text, outer ones before those within. Total."""
    lines = source.text.split("\n")
    return list(_blocks(lines, _code_lines(source)))


def _code_lines(source: SourceText) -> frozenset[int]:
    """The lines of fences but for their first."""
    found: set[int] = set()
    for piece in source.pieces:
        if piece.sort == "fence":
            found.update(range(source.line(piece.start), source.line(max(piece.start, piece.end - 1))))
    return frozenset(found)


def _blocks(lines: Sequence[str], code: frozenset[int]) -> Iterator[Block]:
    slashes: list[tuple[int, Block]] = []
    found: list[Block] = []
    for number, line in enumerate(lines):
        if number in code or not line.lstrip(" ").startswith(("!!!", "???", "===", "///")):
            continue
        opening = _OPENING.match(line)
        if opening and opening["slashes"]:
            slashes.append((len(opening["slashes"]), _slashed(lines, number, opening)))
        elif opening and _is_block(opening):
            found.append(_indented(lines, number, opening))
        elif closing := _CLOSING.match(line):
            depth = len(closing["slashes"])
            at = next((n for n in range(len(slashes) - 1, -1, -1) if slashes[n][0] == depth), -1)
            if at >= 0:
                block = slashes[at][1]
                del slashes[at:]
                found.append(_ended(block, number))
    yield from sorted(found, key=lambda one: one.line)


def _is_block(opening: re.Match[str]) -> bool:
    """Return whether a sign opens a block: a tab needs a title, an admonition a type or one."""
    if opening["sign"].startswith("==="):
        return opening["title"] is not None and not opening["words"]
    return bool(opening["words"] or opening["title"] is not None)


def _indented(lines: Sequence[str], number: int, opening: re.Match[str]) -> Block:
    indent, sign = len(opening["indent"]), opening["sign"]
    end = _content_end(lines, number + 1, indent + STEP)
    sort: Sort = "tab" if sign[0] == "=" else "admonition" if sign[0] == "!" else "details"
    words = tuple(opening["words"].split())
    title = opening["title"].replace('\\"', '"') if opening["title"] is not None else None
    return Block(sort, indent, number, number + 1, end, words, title, is_open=sign.endswith("+"))


def _content_end(lines: Sequence[str], start: int, indent: int) -> int:
    """Return the line after the last that is indented so far; empty ones between count."""
    end = start
    for number in range(start, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        if len(line) - len(line.lstrip(" ")) < indent:
            break
        end = number + 1
    return end


def _slashed(lines: Sequence[str], number: int, opening: re.Match[str]) -> Block:
    first = number + 1
    while first < len(lines) and _OPTION.match(lines[first]):
        first += 1
    words, indent = (opening["name"],), len(opening["indent"])
    return Block("slashes", indent, number, first, first, words, opening["text"] or None, dedents=False)


def _ended(block: Block, close: int) -> Block:
    return Block(
        "slashes",
        block.indent,
        block.line,
        block.first,
        close,
        block.words,
        block.title,
        close,
        dedents=False,
    )
