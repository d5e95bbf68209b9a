"""The places of all links in a text, as its parser finds them: what is in code is none.

A text is rendered with an answer for each link that is a finding at its place, so that every form of a link
is found that a build knows: in markdown, in HTML, in attributes of components.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from msgspec import Struct, field

from builder import frontmatter
from builder.links.numbered_links import NumberedLinks, number_of
from builder.links.resolved import Kind, Resolved
from builder.markdown.body import render
from builder.markdown.context import INCLUDING, Context
from builder.markdown.page import BodySource
from builder.markdown.parts import component_file
from builder.markdown.parts.constructs import Construct, constructs
from builder.paths import Format
from builder.store.names import COMPONENTS
from builder.store.part_files import PartFiles
from builder.unicode import normal

_LINE = re.compile(r"\r\n?|\n")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_CLOSING = {'"': '"', "'": "'", "`": "`", "<": ">"}
_FILE = re.compile(r"(?<=\s)file\s*=\s*([\"']?)([^\"'\s]+)\1")
_BOM = "\ufeff"


class LinkedText(Struct, frozen=True):
    """The text of a file in which links may be. `base` is the content path that relative ones are seen from.

    A `whole` text has no frontmatter: it is a hand-written twin.
    """

    file: str
    text: str
    format: Format
    base: str
    whole: bool = False


class LinkPlace(Struct, frozen=True):
    """A link in a text: from `start` to `end` it is `written`; its parser takes it for `address`.

    `start` is -1 where nobody can say which characters these are. A link that `names` a file (what a page
    includes, a block of code shows) leads to that very file. `base` is what it is seen from.
    """

    address: str
    kind: Kind
    base: str
    line: int
    start: int = -1
    end: int = -1
    written: str = ""
    names: bool = False


class LinkFinder(Struct, frozen=True):
    """Finds links as a site with these `extras` has them; `parts` are its files that pages may include."""

    extras: frozenset[str]
    parts: PartFiles | None = None

    def links(self, text: LinkedText) -> Sequence[LinkPlace]:
        """Return all links of a text, in an order that stays when their addresses are others."""
        lines = [0, *(found.end() for found in _LINE.finditer(text.text))]
        document = None if text.whole else frontmatter.split(text.text, text.file)
        body, first = (text.text, 1) if document is None else (document.body, document.first_line)
        found = list(self._rendered(text, body, first, lines))
        if text.format == "mdx" and not self.extras.isdisjoint(INCLUDING):
            found += self._included(text, body, lines)
        return found

    def _rendered(self, text: LinkedText, body: str, first: int, lines: Sequence[int]) -> Iterator[LinkPlace]:
        asked = _Asked()
        context = Context(True, (), asked, extras=self.extras - INCLUDING)
        rendered = render(BodySource(body, text.format, text.file, first, text.base), context)
        places = {
            said[0]: (one.line, one.column)
            for one in rendered.diagnostics
            if (said := number_of(one.code, one.message))
        }
        shift = 1 if first == 1 and text.text.startswith(_BOM) and not text.whole else 0
        for number, (line, column) in sorted(places.items()):
            address, base, kind = asked.calls[number]
            at = lines[min(line, len(lines)) - 1] + column - 1 + (shift if line == 1 else 0)
            start, end = span(text.text, at, address)
            yield LinkPlace(address, kind, base, line, start, end, text.text[max(start, 0) : max(end, 0)])

    def _included(self, text: LinkedText, body: str, lines: Sequence[int]) -> Iterator[LinkPlace]:
        """The links of what is expanded before a text is parsed."""
        shift = len(text.text) - len(body)
        for one in constructs(body, parses=True):
            for start, end, names in self._in_construct(body, one):
                written = body[start:end]
                line = sum(1 for begin in lines if begin <= start + shift)
                place = (start + shift, end + shift, written)
                yield LinkPlace(html.unescape(written), "link", text.base, line, *place, names=names)

    def _in_construct(self, body: str, one: Construct) -> Iterator[tuple[int, int, bool]]:
        if one.sort == "fence":
            info = body[one.start : one.end].partition("\n")[0]
            if found := _FILE.search(info):
                yield one.start + found.start(2), one.start + found.end(2), True
        if one.sort != "expanded" or one.tag is None:
            return
        includes = one.tag.name == "Include"
        for name in ("src",) if includes else self._addresses_of(one.tag.name):
            given = one.tag.attribute(name)
            if given is not None and body[given.value_start : given.value_start + 1] in {'"', "'"}:
                yield given.value_start + 1, given.value_end - 1, includes

    def _addresses_of(self, name: str) -> Iterator[str]:
        """The attributes of an own component that are addresses."""
        if self.parts is None or not component_file.NAME.fullmatch(name):
            return
        found = self.parts.read(f"{COMPONENTS}/{name}.mdx")
        declared = {} if found.problem else component_file.read(found.text).attributes
        yield from (each for each, about in declared.items() if about.type == "url")


def span(text: str, at: int, address: str) -> tuple[int, int]:
    """Return where an address that was found at `at` begins and ends as it is written, else (-1, -1)."""
    while text[at : at + 1] in {" ", "\t", "{", "\n"}:
        at += 1
    quote = text[at : at + 1]
    start = at + 1 if quote in _CLOSING else at
    if text.startswith(address, start):
        return start, start + len(address)
    end = _end(text, start, quote)
    if end > start and plain(text[start:end]) == plain(address):
        return start, end
    return -1, -1


def _end(text: str, start: int, quote: str) -> int:
    before = text[start - 1 : start]
    if quote in _CLOSING or before in {'"', "'", "<"}:
        return text.find(_CLOSING[quote if quote in _CLOSING else before], start)
    depth, end = 0, start
    while end < len(text) and not text[end].isspace():
        if text[end] == "\\":
            end += 1
        depth += (text[end : end + 1] == "(") - (text[end : end + 1] == ")")
        if depth < 0:
            break
        end += 1
    return end


def plain(address: str) -> str:
    """Return the form in which two spellings of an address are one."""
    return normal("NFC", unquote(html.unescape(_ESCAPE.sub(r"\1", address))))


class _Asked(NumberedLinks):
    """Answers each link with its number, and remembers what was asked."""

    calls: list[tuple[str, str, Kind]] = field(default_factory=list)

    def resolve(self, href: str, from_path: str, kind: Kind = "link") -> Resolved:
        """Return a finding that has the number of the call."""
        self.calls.append((href, from_path, kind))
        return self.numbered(href, href)
