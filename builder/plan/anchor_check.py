"""Links to a place on another page, checked when the ids of all pages are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import chain
from typing import Protocol

from msgspec import Struct

from builder.diagnostics import Diagnostic, did_you_mean
from builder.links.suggestions import Effort
from builder.markdown.page import Body, OutgoingLink
from builder.render import StandingPage, TwinLinks, unpacked_anchors
from components.nearest import LONGEST


class PageLinks(Struct, frozen=True, gc=False):
    """The links and anchors of a rendered page, for the check."""

    file: str
    path: str
    ids: frozenset[str]
    links: Sequence[OutgoingLink]


class AllLinks(Sized, Iterable[PageLinks], Protocol):
    """The links of many pages, which can be gone through several times."""


def links_of(file: str, path: str, body: Body, twin: TwinLinks | None) -> tuple[PageLinks, PageLinks | None]:
    """Return the links of the page at `path`, made of this file, and of its hand-written twin, if any."""
    own = PageLinks(file, path, body.ids, body.links)
    return own, PageLinks(twin.file, path, twin.ids, twin.links) if twin else None


def known_links(page: StandingPage) -> tuple[PageLinks, PageLinks | None]:
    """Return the same of a page that stays as it is."""
    own, twin = page.known.anchors, page.known.twin_anchors
    return (
        PageLinks(page.file, page.path, *unpacked_anchors(own)),
        PageLinks(twin[0], page.path, *unpacked_anchors(twin[1])) if twin else None,
    )


def check_anchors(pages: AllLinks, twins: AllLinks) -> Iterator[Diagnostic]:
    """A `broken-anchor` for each link whose page exists but has no such id.

    A target without ids in `pages` (a generated page) has none. Links in hand-written `twins` may lead to
    ids of pages and of twins, because those who read twins read both.
    """
    wanted = {link.path for page in chain(pages, twins) for link in page.links}
    ids = {page.path: page.ids for page in pages if page.path in wanted}
    hints = _Hints()
    yield from _broken_in(pages, ids, hints)
    if twins:
        own = {twin.path: twin.ids | ids.get(twin.path, frozenset()) for twin in twins}
        yield from _broken_in(twins, ids | own, hints)


class _Hints:
    """The nearest id for each one that is missing, looked for once and within a budget of work."""

    def __init__(self) -> None:
        self._effort = Effort()
        self._known: dict[tuple[str, frozenset[str]], str] = {}

    def near(self, fragment: str, there: frozenset[str]) -> str:
        """A hint, or "" when no id is near, or the budget is spent."""
        key = fragment, there
        if key not in self._known:
            fits = len(fragment) <= LONGEST and self._effort.affords(fragment, there)
            self._known[key] = did_you_mean(fragment, sorted(there)) if fits else ""
        return self._known[key]


def _broken_in(pages: AllLinks, ids: Mapping[str, frozenset[str]], hints: _Hints) -> Iterator[Diagnostic]:
    for page in pages:
        for link in page.links:
            there = ids.get(link.path, frozenset())
            if link.fragment not in there and link.fragment != "top":
                yield _broken(page, link, hints.near(link.fragment, there))


def _broken(page: PageLinks, link: OutgoingLink, hint: str) -> Diagnostic:
    where = "this page" if link.path == page.path else f"`{link.path}`"
    part = f" ({link.part})" if link.part else ""
    message = f"{where} has nothing with the id `{link.fragment}`{part}"
    return Diagnostic(page.file, link.line, link.column, "broken-anchor", message, hint)
