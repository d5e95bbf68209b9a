"""Hide premium parts where the parser alone cannot hide them.

    text <Callout color="red">        text <Callout/>

    Hidden.                      ->

    </Callout> more                   more

The parser hides a premium component with all that it holds, up to the end of the block it stands in. Where
its tags stand in different blocks, the closing one is left over, and shows what was meant to be hidden: all
from the opening tag to the closing one, whatever stands between. That is taken out of the text, but for its
lines, and the text is parsed again. Which tags are tags, and which are code, is for the parser to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from markdown_it.token import Token

from builder.markdown.mdx.chunk.chunks import Chunk, Place, chunk_of
from builder.markdown.mdx.scan.pairs import Span
from components.registry import PREMIUM

_NAMES = "|".join(PREMIUM)
_OPEN = re.compile(rf"<({_NAMES})(?![\w.-])")
_CLOSE = re.compile(rf"</({_NAMES})(?![\w.-])[^>\n]*>?")
_CODE = frozenset({"fence", "code_block", "math_block"})
_LINE = re.compile(r"\n((?:[ \t]*>)*)[^\n]*")
_QUOTED = re.compile(r"(?:[ \t]*>)*")


class OpenPart(NamedTuple):
    """A part of the body's text, from offset to offset, and its component's name."""

    start: int
    end: int
    name: str


def locked(text: str) -> bool:
    """Return whether there may be a premium component in the text."""
    return _OPEN.search(text) is not None


def left_open(body: Chunk, tags: Iterable[Place], tokens: Sequence[Token]) -> list[OpenPart]:
    """The parts of the body's text whose end the parser did not find, in order and apart from each other.

    A closing tag ends the last opening one before it that has no end. Where the parser has met none, it could
    not read it, and the last one that is no code is taken.
    """
    waiting: dict[str, list[int]] = {}
    spans: list[OpenPart] = []
    code: frozenset[int] | None = None
    text, done = body.text, 0
    for start in sorted({_offset(body, tag) for tag in tags}):
        closing = _CLOSE.match(text, start)
        if closing is None:
            opening = _OPEN.match(text, start)
            if opening is not None:
                waiting.setdefault(opening[1], []).append(start)
            continue
        name, starts = closing[1], waiting.get(closing[1], [])
        if starts:
            spans.append(OpenPart(starts.pop(), closing.end(), name))
        else:
            code = _code_lines(body, tokens) if code is None else code
            unread = _unread(body, name, (done, start), code)
            spans.extend([OpenPart(unread, closing.end(), name)] if unread >= 0 else [])
        done = closing.end()
    return list(_apart(spans))


def blanked(text: str, spans: Iterable[OpenPart]) -> str:
    """The text with nothing in these parts but the component's name and the marks of quotes around them."""
    kept: list[str] = []
    pos = 0
    for start, end, name in spans:
        quote = _QUOTED.match(text, text.rfind("\n", 0, start) + 1)
        deep = quote[0].count(">") if quote else 0
        lines = [found[1].count(">") for found in _LINE.finditer(text, start, end)]
        kept += text[pos:start], f"<{name}/>", *("\n" + ">" * min(deep, count) for count in lines)
        pos = end
        while lines and text[pos : pos + 1] in {" ", "\t"}:  # they would be an indentation now
            pos += 1
    return "".join([*kept, text[pos:]])


def _offset(body: Chunk, tag: Place) -> int:
    """Return the offset of the tag in the body's text."""
    line, column = tag.position()
    return body.starts[line - body.line] + column - 1


def _unread(body: Chunk, name: str, within: Span, code: frozenset[int]) -> int:
    """The offset of the last opening tag of this name in a part of the text that is no code, or -1."""
    found = -1
    for opening in _OPEN.finditer(body.text, *within):
        line = body.line_at(opening.start())
        before = body.text[body.bounds(line)[0] : opening.start()]
        if opening[1] == name and line not in code and before.count("`") % 2 == 0:
            found = opening.start()
    return found


def _code_lines(body: Chunk, tokens: Sequence[Token]) -> frozenset[int]:
    """The lines of the body, from 0, that are in code blocks."""
    lines: set[int] = set()
    for token in tokens:
        if token.type in _CODE and token.map:
            chunk = chunk_of(token, body)
            shift = chunk.line - body.line
            lines.update(range(token.map[0] + shift, token.map[1] + shift))
    return frozenset(lines)


def _apart(spans: Iterable[OpenPart]) -> Iterator[OpenPart]:
    """The spans in order; those that stand within each other, or cross, as one."""
    whole: OpenPart | None = None
    for span in sorted(spans):
        if whole is not None and span.start < whole.end:
            whole = whole._replace(end=max(span.end, whole.end))
            continue
        if whole is not None:
            yield whole
        whole = span
    if whole is not None:
        yield whole
