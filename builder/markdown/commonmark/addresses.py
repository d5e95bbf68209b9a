"""Link destinations, quick where they are plain.

markdown-it takes an address apart, encodes it and puts it together again, and reads destinations one
character at a time. For an address of letters, digits and common marks all of that changes nothing.
"""

from __future__ import annotations

from markdown_it.common.normalize_url import normalizeLink, normalizeLinkText
from markdown_it.helpers import parseLinkDestination, parseLinkLabel, parseLinkTitle
from msgspec import Struct

from builder.lazy_regex import lazy

_PLAIN = lazy(
    r"https?://[a-z0-9][a-z0-9.-]*(?:/[A-Za-z0-9/#?=&._~!$'()*+,;@-]*)?"
    r"|(?:\.{0,2}/)*[A-Za-z0-9_-][A-Za-z0-9/#?=&._~!$'()*+,;-]*"
    r"|#[A-Za-z0-9_.-]*|mailto:[A-Za-z0-9._+-]+@[a-z0-9.-]+"
)
_DESTINATION = lazy(r"[A-Za-z0-9/#?=._~:@%+,;-]+(?=[ \n)])")


class Destination(Struct):
    """What markdown-it's rules expect of a destination."""

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
        return (
            Destination(True, plain.end(), plain[0]) if plain else parseLinkDestination(string, pos, maximum)
        )


def normal(url: str) -> str:
    """The address with all that must be encoded."""
    return url if _PLAIN.fullmatch(url) else normalizeLink(url)


def readable(url: str) -> str:
    """The address as it is shown."""
    return url if _PLAIN.fullmatch(url) else normalizeLinkText(url)
