"""`sitemap.xml` (sitemaps.org, protocol 0.9): all addresses, or an index of files that hold them.

The protocol has a file hold 50,000 addresses and 50 MiB at most. What is more is divided into
`sitemap-1.xml`, `sitemap-2.xml` and so on, and `sitemap.xml` names these.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

NAME = "sitemap.xml"

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_HEAD, _END = f"{_XML}<urlset {_SPACE}>\n", "</urlset>\n"


class Limits(Struct, frozen=True):
    """The limits of one file: so many addresses, and so many bytes."""

    addresses: int
    size: int


LIMITS = Limits(50_000, 50 * 1024 * 1024)


def divided(addresses: Iterable[str], limits: Limits | None = None) -> list[int]:
    """Return the number of addresses in each file, in order; at least one file, and one address in each."""
    limits = limits or LIMITS
    counts, size = [0], len(_HEAD + _END)
    for address in addresses:
        more = len(_entry(address).encode())
        if counts[-1] and (counts[-1] >= limits.addresses or size + more > limits.size):
            counts.append(0)
            size = len(_HEAD + _END)
        counts[-1] += 1
        size += more
    return counts


def names(counts: Iterable[int]) -> tuple[str, ...]:
    """The names of the parts; none where one file is enough."""
    parts = tuple(f"sitemap-{number}.xml" for number, _ in enumerate(counts, start=1))
    return parts if len(parts) > 1 else ()


def whole(addresses: Iterable[str]) -> str:
    """A sitemap of absolute addresses."""
    return f"{_HEAD}{''.join(map(_entry, addresses))}{_END}"


def index(addresses: Iterable[str]) -> str:
    """An index of sitemaps at absolute addresses."""
    entries = "".join(f"<sitemap><loc>{_escaped(address)}</loc></sitemap>\n" for address in addresses)
    return f"{_XML}<sitemapindex {_SPACE}>\n{entries}</sitemapindex>\n"


def _entry(address: str) -> str:
    return f"<url><loc>{_escaped(address)}</loc></url>\n"


def _escaped(address: str) -> str:
    # As `html.escape`, which is slow to load, for its table of entities.
    return address.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
