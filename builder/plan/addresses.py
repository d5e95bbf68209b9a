"""The addresses of a site and the anchors on its pages, as a list of lines by which two builds are compared.

    /  #install  #usage
    /docs/guide/  #first-steps
    /docs/setup  -> /docs/guide/
    /old/*  -> /docs/:splat
    /logo.svg
    ~0123456789abcdef0123456789abcdef

A line is an address from the site's root; behind it come, each after a tab, the anchors of a page, or where
a redirect leads. All is percent-encoded and sorted by bytes, so that a changed line is a changed address.
Anybody may read the list, so that an unlisted page is in it as the digest of its address alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from builder.paths import NOT_FOUND
from builder.plan.anchor_check import PageLinks
from builder.plan.layout import HOME, Layout
from builder.plan.patterns import Pattern
from builder.plan.redirects import Redirect, encoded, leads_to
from builder.render import Shared
from builder.site import SitePage
from builder.unicode import encoded as to_bytes

_ANCHOR, _LEADS, _UNLISTED = "#", "-> ", "~"
_PLAIN = re.compile(r"[A-Za-z0-9_.-]*")
"""Anchors, put together, in which nothing has to be encoded."""


class Addresses(Struct, frozen=True):
    """The addresses of a site, percent-encoded, from its root.

    `places` are those of pages and files with their anchors; `redirects` say where each leads, those for many
    addresses (`builder.plan.patterns`) too. `unlisted` are the digests of the addresses of unlisted pages.
    """

    places: Mapping[str, tuple[str, ...]]
    redirects: Mapping[str, str]
    unlisted: frozenset[str] = frozenset()


def addresses_of(
    layout: Layout,
    ids: Mapping[str, Iterable[str]] | None = None,
    target: Callable[[Redirect | Pattern], str] = lambda rule: rule.target,
) -> Addresses:
    """Return the addresses of a site but for its drafts.

    `ids` are the anchors of the page at each content path, `target` says where a redirect leads.
    """
    known = ids or {}
    places = {address: _sorted(known.get(path, ())) for address, path in _pages(layout)}
    places |= {encoded(f"/{file.output}"): () for file in layout.files}
    redirects = {redirect.url: target(redirect) for redirect in layout.redirects}
    base = f"{layout.site.config.base_path}/"
    redirects |= {each.source: _below(target(each), base) for each in layout.patterns}
    hidden = (page for page in layout.site.pages if _is_hidden(page))
    return Addresses(places, redirects, frozenset(digest_of(encoded(page.url)) for page in hidden))


def _is_hidden(page: SitePage) -> bool:
    return not page.is_listed and page.path not in {NOT_FOUND, HOME} and not page.meta.draft


def key_of(address: str) -> str:
    """Return the form in which addresses are the same that are answered alike."""
    key = address.removesuffix(".html")
    if key.endswith("/index"):
        key = key.removesuffix("index")
    return key.rstrip("/")


def digest_of(address: str) -> str:
    """Return what stands for the address of an unlisted page."""
    return hashlib.blake2b(key_of(address).encode(), digest_size=16).hexdigest()


def address_list(layout: Layout, shared: Shared, pages: Iterable[PageLinks]) -> bytes:
    """Return the list of a build; `pages` have the anchors of all pages."""
    config, links = layout.site.config, shared.context.links

    def target(rule: Redirect | Pattern) -> str:
        return _below(leads_to(rule, config, links), f"{shared.base}/")

    return write_addresses(addresses_of(layout, {page.path: tuple(page.ids) for page in pages}, target))


def _below(href: str, base: str) -> str:
    """An address of the site from its root; `base` is its base path with a slash at the end."""
    return f"/{href.removeprefix(base)}" if href.startswith(base) else href


def write_addresses(addresses: Addresses) -> bytes:
    """Return the list as bytes, the same for the same addresses."""
    lines = {address: _line(address, anchors) for address, anchors in addresses.places.items()}
    lines |= {old: f"{old}\t{_LEADS}{new}\n" for old, new in addresses.redirects.items()}
    hidden = "".join(f"{_UNLISTED}{digest}\n" for digest in sorted(addresses.unlisted))
    return to_bytes("".join(lines[address] for address in sorted(lines)) + hidden)


def read_addresses(text: str) -> Addresses:
    """Read a list; what is of no form that is known here is not looked at."""
    places: dict[str, tuple[str, ...]] = {}
    redirects: dict[str, str] = {}
    unlisted: set[str] = set()
    for line in text.splitlines():
        address, *more = line.split("\t")
        if address.startswith(_UNLISTED):
            unlisted.add(address[1:])
        if not address.startswith("/"):
            continue
        if more and more[0].startswith(_LEADS):
            redirects[address] = more[0].removeprefix(_LEADS)
        else:
            places[address] = tuple(each[1:] for each in more if each.startswith(_ANCHOR))
    return Addresses(places, redirects, frozenset(unlisted))


def _pages(layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the canonical address and the content path of each page; the home page answers at `/`, too."""
    home = layout.home
    yield "/", HOME if home is None else "" if home.meta.draft else home.path  # nothing of a draft is told
    for page in layout.site.pages:
        if page.path != NOT_FOUND and not page.meta.draft and not _is_hidden(page):
            yield encoded(page.url), page.path
    for category, _ in layout.generated:
        yield encoded(category.url), f"{category.path}/index"


def _sorted(anchors: Iterable[str]) -> tuple[str, ...]:
    found = sorted(filter(None, anchors))
    if not _PLAIN.fullmatch("".join(found)):
        found = sorted(map(encoded, found))
    return tuple(found)


def _line(address: str, anchors: tuple[str, ...]) -> str:
    return "".join((address, *(f"\t{_ANCHOR}{each}" for each in anchors), "\n"))
