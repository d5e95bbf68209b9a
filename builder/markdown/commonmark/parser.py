"""The parser of page bodies without components: CommonMark and GFM, raw HTML for `md` only.

    normalise -> blocks -> chosen ids, tasks -> inlines -> footnotes -> text joined -> mail addresses
    -> media -> raw HTML -> refused links                                                  (core rules)

Rules never touch the site: links are resolved, headings get ids and fences are highlighted by whoever
renders the tokens. What a rule has to tell about the source it leaves in `env`, as `notes`.
A layer below `syntax`, which adds the rules of `mdx`: nothing here knows of these.

markdown-it takes an address apart, encodes it and puts it together again, and reads destinations one
character at a time. For an address of letters, digits and common marks all of that changes nothing, so one
look at it is enough.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink, normalizeLinkText
from markdown_it.common.utils import unescapeAll
from markdown_it.helpers import parseLinkDestination, parseLinkLabel, parseLinkTitle
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.commonmark import autolinks, footnotes, gfm, headings, links, media, raw_html, tables
from builder.markdown.commonmark.fast import inline_parser, rules
from builder.markdown.commonmark.fast.block_parser import BlockParser
from builder.markdown.commonmark.fast.inline_parser import InlineParser
from builder.paths import Format

PLUGINS = (
    inline_parser.plugin,
    rules.plugin,
    tables.plugin,
    gfm.plugin,
    autolinks.plugin,
    footnotes.plugin,
    headings.plugin,
    media.plugin,
    raw_html.plugin,
    links.plugin,
)

_PLAIN = lazy(
    r"https?://[a-z0-9][a-z0-9.-]*(?:/[A-Za-z0-9/#?=&._~!$'()*+,;@-]*)?"
    r"|(?:\.{0,2}/)*[A-Za-z0-9_-][A-Za-z0-9/#?=&._~!$'()*+,;-]*"
    r"|#[A-Za-z0-9_.-]*|mailto:[A-Za-z0-9._+-]+@[a-z0-9.-]+"
)
_STOP = lazy(r"\\.|[()\x00-\x20\x7f]", re.DOTALL)
_DEEPEST = 32
"""Parentheses within each other, as in markdown-it."""
_DESTINATION = lazy(r"[A-Za-z0-9/#?=._~:@%+,;-]+(?=[ \n)])")


class LinkDestination(Struct):
    """A link's destination, in the form that markdown-it's rules expect."""

    ok: bool
    pos: int
    str: str


class Helpers:
    """In the place of `markdown_it.helpers`."""

    parseLinkLabel = staticmethod(parseLinkLabel)
    parseLinkTitle = staticmethod(parseLinkTitle)

    @staticmethod
    def parseLinkDestination(string: str, pos: int, maximum: int) -> object:
        """Read the destination that begins at `pos`."""
        plain = _DESTINATION.match(string, pos, maximum)
        if plain:
            return LinkDestination(True, plain.end(), plain[0])
        if string.startswith("<", pos):
            return parseLinkDestination(string, pos, maximum)
        return _bare_destination(string, pos, maximum)


def _bare_destination(string: str, pos: int, maximum: int) -> LinkDestination:
    """Read a destination without angle brackets from stop to stop: as markdown-it does for each character.

    It has parentheses in pairs, at most `_DEEPEST` deep, and neither spaces nor control characters
    (https://spec.commonmark.org/0.31.2/#link-destination).
    """
    level, end = 0, min(maximum, len(string))
    for stop in _STOP.finditer(string, pos, end):
        mark = stop[0]
        if mark == "(":
            level += 1
            if level > _DEEPEST:
                return LinkDestination(False, 0, "")
        elif mark == ")" and level:
            level -= 1
        elif len(mark) == 1 or mark[1] == " ":
            end = stop.start()
            break
    is_whole = end > pos and level == 0
    return (
        LinkDestination(True, end, unescapeAll(string[pos:end]))
        if is_whole
        else LinkDestination(False, 0, "")
    )


def encoded(url: str) -> str:
    """The address with all that must be encoded."""
    return url if _PLAIN.fullmatch(url) else normalizeLink(url)


def readable(url: str) -> str:
    """The address as it is shown."""
    return url if _PLAIN.fullmatch(url) else normalizeLinkText(url)


class Parser(MarkdownIt):
    """markdown-it with a quicker inline loop; addresses are judged after parsing (see `links`)."""

    inline: InlineParser
    block: BlockParser

    def validateLink(self, url: str) -> bool:
        """Every address may be parsed."""
        return True

    def normalizeLink(self, url: str) -> str:
        """An address as it goes into an attribute."""
        return encoded(url)

    def normalizeLinkText(self, link: str) -> str:
        """An address as it is shown."""
        return readable(link)


def base(format: Format) -> Parser:
    """A new parser; the caller keeps it, and may add rules of its own.

    An inline rule that is added must be declared: `md.inline.begins(name, characters)`. A block rule may be:
    `md.block.begins(name, characters)`.
    """
    md = Parser("zero")
    md.inline, md.block = InlineParser(), BlockParser()
    md.helpers = Helpers()  # type: ignore[assignment]  # markdown-it has a module there
    md.configure("commonmark", {"html": format == "md", "xhtmlOut": False, "maxNesting": 100})
    for plugin in PLUGINS:
        md.use(plugin)
    return md
