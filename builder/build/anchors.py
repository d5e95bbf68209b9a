"""Links to a place on another page, checked when the ids of all pages are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from builder.diagnostics import Diagnostic, did_you_mean
from builder.markdown.page import OutgoingLink


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What is kept of a rendered page for the check."""

    file: str
    path: str
    ids: frozenset[str]
    links: Sequence[OutgoingLink]


def check_anchors(pages: Sequence[PageLinks], twins: Sequence[PageLinks]) -> Iterator[Diagnostic]:
    """A `broken-anchor` for each link whose page exists but has no such id.

    A target without ids in `pages` (a generated page) has none. Links in hand-written `twins` may lead to
    ids of pages and of twins, because those who read twins read both.
    """
    ids = {page.path: page.ids for page in pages}
    yield from _broken_in(pages, ids)
    if twins:
        own = {twin.path: twin.ids | ids.get(twin.path, frozenset()) for twin in twins}
        yield from _broken_in(twins, ids | own)


def _broken_in(pages: Sequence[PageLinks], ids: Mapping[str, frozenset[str]]) -> Iterator[Diagnostic]:
    for page in pages:
        for link in page.links:
            there = ids.get(link.path, frozenset())
            if link.fragment not in there and link.fragment != "top":
                yield _broken(page, link, there)


def _broken(page: PageLinks, link: OutgoingLink, there: frozenset[str]) -> Diagnostic:
    where = "this page" if link.path == page.path else f"`{link.path}`"
    message = f"{where} has nothing with the id `{link.fragment}`"
    hint = did_you_mean(link.fragment, sorted(there))
    return Diagnostic(page.file, link.line, link.column, "broken-anchor", message, hint)
