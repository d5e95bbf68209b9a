"""Link destinations that know where they stand, so that the twin can have another and a fault its column.

markdown-it hands a destination on from its parser to the token, by way of `normalizeLink`. It is a string
all the way, so a string that remembers its offsets is enough. The lines of a reference definition
(`[name]: address`) are joined before they are read: there its place in the chunk is found again.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from builder.markdown.mdx.chunk.chunks import PREFIX, Chunk, Place, chunk_of

_NEEDS_ANGLES = re.compile(r"[\s()<>\\]|^$")
_SPACE = re.compile(r"\s")
_ENTITY = re.compile(r"&(?=#?\w+;)")


class Destination(str):
    """An address, normalised, from `start` to `stop` of the paragraph's text, with its quotes or angles.

    One that stands in a reference definition has its place in `definition`. `plain` is the address
    alone: always the same object, so that a long one is not read again for each link that refers to it.
    """

    __slots__ = ("attribute", "definition", "plain", "start", "stop")

    plain: str
    start: int
    stop: int
    attribute: bool
    definition: Place | None

    @staticmethod
    def at(address: str, start: int, stop: int, *, attribute: bool = False) -> Destination:
        """The destination `address`; an `attribute` is one of an HTML tag."""
        made = Destination(address)
        made.plain, made.start, made.stop, made.attribute = str(address), start, stop, attribute
        made.definition = None
        return made

    def written(self, address: str) -> str:
        """Another address, as it is written there."""
        if self.attribute:
            return f'"{html.escape(address)}"'
        text = _ENTITY.sub("&amp;", address)
        if not _NEEDS_ANGLES.search(text):
            return text
        plain = text.replace("\\", "%5C").replace("<", "%3C").replace(">", "%3E")
        return f"<{_SPACE.sub('%20', plain)}>"


def plugin(md: MarkdownIt) -> None:
    """Let the destinations that the parser finds know where they stand."""
    parse, normalize = md.helpers.parseLinkDestination, md.normalizeLink

    def parse_sited(string: str, pos: int, maximum: int) -> object:
        found = parse(string, pos, maximum)
        if found.ok:
            found.str = Destination.at(found.str, pos, found.pos)
        return found

    def normalize_sited(url: str) -> str:
        address = normalize(url)
        if isinstance(url, Destination) and address is not url:
            return Destination.at(address, url.start, url.stop)
        return address

    md.helpers = SimpleNamespace(  # type: ignore[assignment]  # markdown-it has a module there
        parseLinkDestination=parse_sited,
        parseLinkLabel=md.helpers.parseLinkLabel,
        parseLinkTitle=md.helpers.parseLinkTitle,
    )
    md.normalizeLink = normalize_sited  # type: ignore[method-assign]


def locate_definitions(tokens: Sequence[Token], body: Chunk) -> None:
    """Let each definition's address know its place; links that refer to it have the same one."""
    for token in tokens:
        if token.type == "definition" and isinstance(token.meta["url"], Destination):
            address: Destination = token.meta["url"]
            chunk = chunk_of(token, body)
            address.definition = Place(chunk, _offset(chunk, token, address.start))


def definition_addresses(tokens: Sequence[Token]) -> Iterator[Destination]:
    """The addresses of all definitions."""
    for token in tokens:
        if token.type == "definition" and isinstance(token.meta["url"], Destination):
            yield token.meta["url"]


def _offset(chunk: Chunk, token: Token, at: int) -> int:
    """The offset of the character `at` of the joined lines of a definition."""
    line, last = token.map[0] if token.map else 0, len(chunk.starts) - 1
    label = str(token.meta["label"]).partition("\n")[0]
    begin, end = chunk.bounds(line)
    begin = max(begin, chunk.text.find(f"[{label}", begin, end))
    while begin + at > end and line < last:
        at -= end - begin + 1
        line += 1
        begin, end = chunk.bounds(line)
        found = PREFIX.match(chunk.text, begin, end)
        begin = found.end() if found else begin
    return min(begin + at, end)
