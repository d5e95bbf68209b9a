"""Find what is expanded in a text: tags, variables, and code blocks that ask for more than they hold.

What stands in code, comments, expressions and escapes is passed over, as it is where tags are paired
(builder/markdown/mdx/scan/pairs.py). What only the parser takes for code, by its indentation, it is asked
about, where there is any so far from the margin.

    variable = "%{" name "}"            name = (letter | "_") (letter | digit | "_" | "-" | ".")*
    escaped  = "\\%{" name "}"
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from builder.markdown.context import VARIABLE
from builder.markdown.mdx import elements
from builder.markdown.mdx.body_limit import affordable
from builder.markdown.mdx.chunk.chunks import PREFIX, Chunk, chunk_of, line_starts
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.pairs import Span, pairs
from builder.markdown.mdx.scan.skips import MARK, Skips
from builder.markdown.mdx.scan.tags import Tag, tag_at
from builder.markdown.syntax import parse
from components.registry import NAMES

_FAR = re.compile(r"[^\S\n]*(?: {4}|\t)")
_TERM = re.compile(r"[:~][ \t]+")
_BLANK_REST = re.compile(r"[ \t]*+(?:\n|\Z)")
_CODE = frozenset({"fence", "code_block"})

Sort = Literal["variable", "escaped", "expanded", "tag", "fence"]


class Construct(Struct, frozen=True):
    """A construct from `start` to `end`. A tag that is `expanded` may have a closing one at `close`."""

    sort: Sort
    start: int
    end: int
    name: str = ""
    tag: Tag | None = None
    close: Span | None = None


def constructs(text: str, *, parses: bool) -> list[Construct]:
    """All constructs of a text in order. The parser is asked what is code if it `parses`. Total."""
    braces = Braces(text)
    ends, _ = pairs(braces)
    found = list(_walk(text, braces, ends))
    if not parses:
        return found
    starts = line_starts(text)
    lines = [bisect_right(starts, one.start) - 1 for one in found]
    if not any(_FAR.search(lead(text, starts[line])) for line in set(lines)):
        return found
    code = _code_lines(text)
    return [one for one, line in zip(found, lines, strict=True) if one.sort == "fence" or line not in code]


def _walk(text: str, braces: Braces, ends: object) -> Iterator[Construct]:
    skips, pos = Skips(braces), 0
    closes: dict[int, Span | None] = dict(ends)  # type: ignore[call-overload]
    while found := MARK.search(text, pos):
        start, first = found.start(), found[0][0]
        if found[0] == "\\%" and (named := VARIABLE.match(text, start + 1)):
            yield Construct("escaped", start, named.end(), named[1])
            pos = named.end()
        elif first == "{" and text[start - 1 : start] == "%" and (named := VARIABLE.match(text, start - 1)):
            yield Construct("variable", start - 1, named.end(), named[1])
            pos = named.end()
        elif first == "<" and found[0] != "<!--" and (tag := tag_at(braces, start)):
            yield from _tag(text, tag, closes.get(start))
            hidden = tag.kind == "open" and elements.canonical(tag.name) in elements.HIDDEN
            pos = max(skips.ends.hidden(tag), tag.end) if hidden else tag.end
        else:
            after = skips.after(found)
            if first in "`~" and after > found.end() and len(found[0]) >= 3 and skips.at_line_start(start):
                yield Construct("fence", start, after)
            pos = after if after >= 0 else (start + 1 if first == "<" else found.end())


def _tag(text: str, tag: Tag, close: Span | None) -> Iterator[Construct]:
    if tag.kind != "close" and tag.name[0].isupper() and tag.name not in NAMES and not tag.broken:
        yield Construct("expanded", tag.start, tag.end, tag.name, tag, close)
    elif "%{" in text[tag.start : tag.end]:
        yield Construct("tag", tag.start, tag.end, tag.name, tag)


def _code_lines(text: str) -> frozenset[int]:
    """The lines, from 0, that the parser takes for code."""
    body = Chunk(text[: affordable(text)], 0)
    lines: set[int] = set()
    for token in parse(body, "mdx", premium=True).tokens:
        if token.type in _CODE and token.map:
            shift = chunk_of(token, body).line
            lines.update(range(token.map[0] + shift, token.map[1] + shift))
    return frozenset(lines)


def lead(text: str, begin: int, start: int = sys.maxsize) -> str:
    """The marks of quotes, lists and definitions, and the blanks, of a line from `begin` to `start`."""
    found = PREFIX.match(text, begin, start)
    end = found.end() if found else begin
    term = _TERM.match(text, end, start)
    inner = PREFIX.match(text, term.end(), start) if term else None
    return text[begin : inner.end() if inner else end]


def in_row(text: str, start: int) -> bool:
    """Return whether `start` is in a line that is a row of a table."""
    begin = text.rfind("\n", 0, start) + 1
    return text.startswith("|", begin + len(lead(text, begin, start)))


def is_alone(text: str, start: int, end: int) -> bool:
    """Return whether nothing else stands in the lines that reach from `start` to `end`."""
    begin = text.rfind("\n", 0, start) + 1
    return _BLANK_REST.match(text, end) is not None and len(lead(text, begin, start)) == start - begin
