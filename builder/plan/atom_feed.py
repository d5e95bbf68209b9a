"""The Atom feed (RFC 4287) of a page's `Update` entries: absolute addresses, and days as midnight in UTC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape
from urllib.parse import urljoin

from builder.lazy_regex import lazy
from builder.markdown.page import UpdateEntry
from builder.render import Shared
from builder.site import SitePage
from builder.unicode import encoded

_ADDRESS = lazy(r' (href|src|poster)="([^"]*)"')
_NOT_XML = lazy("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def atom_feed(page: SitePage, shared: Shared, updates: Sequence[UpdateEntry]) -> bytes:
    """The feed of a page with these `updates`, in their order; those without a day are left out."""
    entries = [entry for entry in updates if entry.date]
    return encoded("\n".join(_lines(page, shared, entries)) + "\n")


def _lines(page: SitePage, shared: Shared, entries: Sequence[UpdateEntry]) -> Iterator[str]:
    address = shared.canonical(page.url)
    own = shared.canonical(page.feed_url)
    title = page.title if page.title == shared.site.title else f"{page.title} | {shared.site.title}"
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{_text(shared.site.language)}">'
    yield f"<id>{_text(own)}</id>"
    yield f"<title>{_text(title.strip(' |') or address)}</title>"
    yield f"<updated>{max((entry.date for entry in entries), default='1970-01-01')}T00:00:00Z</updated>"
    yield f"<author><name>{_text(shared.site.title or address)}</name></author>"
    yield f'<link rel="self" type="application/atom+xml" href="{_text(own)}"/>'
    yield f'<link rel="alternate" type="text/html" href="{_text(address)}"/>'
    for entry in entries:
        yield from _entry(entry, address)
    yield "</feed>"


def _entry(entry: UpdateEntry, address: str) -> Iterator[str]:
    place = f"{address}#{entry.anchor}"
    yield "<entry>"
    yield f"<id>{_text(place)}</id>"
    yield f"<title>{_text(entry.label)}</title>"
    yield f"<updated>{entry.date}T00:00:00Z</updated>"
    yield f'<link rel="alternate" type="text/html" href="{_text(place)}"/>'
    yield from (f'<category term="{_text(tag)}"/>' for tag in entry.tags)
    yield f'<content type="html">{_text(_absolute(entry.html, address))}</content>'
    yield "</entry>"


def _absolute(html: str, address: str) -> str:
    """HTML of the page at `address` with absolute addresses."""

    def whole(found: re.Match[str]) -> str:
        try:
            return f' {found[1]}="{escape(urljoin(address, unescape(found[2])))}"'
        except ValueError:  # no address at all, such as `https://[`
            return ""

    return _ADDRESS.sub(whole, html)


def _text(text: str) -> str:
    """Text for XML, which has no control characters."""
    return escape(_NOT_XML.sub("\ufffd", text))
