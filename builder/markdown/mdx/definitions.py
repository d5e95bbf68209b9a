"""Reference definitions (`[name]: address`): where their addresses stand.

markdown-it joins a definition's lines before it reads them; here the place in the chunk is found again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from builder.markdown.mdx.chunk.chunks import Chunk, chunk_of
from builder.markdown.mdx.destinations import Destination

_CONTENT = re.compile(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[\^[^\]\s]+\]:))*[ \t]*")


def locate(tokens: Sequence[Token], body: Chunk) -> None:
    """Let each definition's address know its chunk and offset; links that refer to it have the same one."""
    for token in tokens:
        if token.type == "definition" and isinstance(token.meta["url"], Destination):
            address: Destination = token.meta["url"]
            chunk = chunk_of(token, body)
            address.definition = chunk, _offset(chunk, token, address.start)


def addresses(tokens: Sequence[Token]) -> Iterator[Destination]:
    """The addresses of all definitions."""
    for token in tokens:
        if token.type == "definition" and isinstance(token.meta["url"], Destination):
            yield token.meta["url"]


def _offset(chunk: Chunk, token: Token, at: int) -> int:
    """The offset of the character `at` of the joined lines of a definition."""
    line, last = token.map[0] if token.map else 0, len(chunk.starts()) - 1
    label = str(token.meta["label"]).partition("\n")[0]
    begin, end = chunk.bounds(line)
    begin = max(begin, chunk.text.find(f"[{label}", begin, end))
    while begin + at > end and line < last:
        at -= end - begin + 1
        line += 1
        begin, end = chunk.bounds(line)
        found = _CONTENT.match(chunk.text, begin, end)
        begin = found.end() if found else begin
    return min(begin + at, end)
