"""The list of a site's pages with what is known of each, made in the process that renders them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from builder import sidebar
from builder.diagnostics import Diagnostic, did_you_mean
from builder.errors import TwinpressError
from builder.review import Review
from builder.review.whole_check import checked
from builder.site import Site, SitePage
from server.authoring.compose import page_of
from server.authoring.lookup.lookup_structs import FIELDS
from server.authoring.lookup.site_findings import SECONDS, counts_of
from server.authoring.structs import LevelCounts, PageSummary
from server.http.failure import Failure

MOST_TEXT = 256 * 1024
"""Bytes of the texts of one answer, if it has more than one page."""
_OF_FILE = frozenset({"revision", "size", "frontmatter", "body", "llmBody"})
"""Fields for which a page's file is read."""


def fields_of(text: str) -> frozenset[str]:
    """Return the fields that a query names. Raises Failure for one that there is not."""
    names = [name.strip() for name in text.split(",")] if text else []
    for name in names:
        if name not in FIELDS:
            hint = did_you_mean(name[:80], FIELDS) or "there are " + ", ".join(f"`{one}`" for one in FIELDS)
            raise Failure("INVALID_QUERY", f"fields: there is no field `{name[:80]}` ({hint})")
    return frozenset(names)


class ListPlace(Struct, frozen=True, array_like=True):
    """The last page that was listed."""

    path: str


class ListQuestion(Struct, frozen=True):
    """Pages are asked for whose paths begin with `prefix`: `limit` of them behind the path `after`."""

    fields: frozenset[str]
    prefix: str
    after: str
    limit: int
    seconds: float = SECONDS

    def answer(self, review: Review, site: Site) -> ListedPages:
        """Return them, with the fields that are asked for."""
        pages = sorted((*site.pages, *site.drafts), key=lambda page: page.path)
        fit = [page for page in pages if page.path.startswith(self.prefix) and page.path > self.after]
        order = _order(review, site) if "order" in self.fields else {}
        found = _counts(review, site, self.seconds) if "diagnostics" in self.fields else {}
        summaries = (self._summary(review, page, order, found) for page in fit[: self.limit])
        listed = list(_within(summaries, MOST_TEXT))
        return ListedPages(listed, ListPlace(listed[-1].path) if len(fit) > len(listed) else None)

    def _summary(
        self,
        review: Review,
        page: SitePage,
        order: Mapping[str, int],
        counts: Mapping[str, LevelCounts],
    ) -> PageSummary:
        known: dict[str, object] = {
            "description": page.meta.description,
            "order": order.get(page.path),
            "draft": page.meta.draft,
            "unlisted": page.meta.unlisted,
            "url": page.url,
            "diagnostics": counts.get(page.path),
        }
        if self.fields & _OF_FILE:
            known |= _stored(review, page)
        more: dict[str, Any] = {name: value for name, value in known.items() if name in self.fields}
        return PageSummary(page.path, page.title, page.format, **more)


class ListedPages(Struct, frozen=True):
    """Pages, and the place to go on at, if there are more."""

    pages: list[PageSummary]
    place: ListPlace | None


def _within(pages: Iterable[PageSummary], most: int) -> Iterator[PageSummary]:
    """The first of these pages, and those behind it while their texts have at most so many bytes."""
    size = 0
    for number, page in enumerate(pages):
        texts = page.body, page.llmBody
        size += sum(len(text.encode()) for text in texts if isinstance(text, str))
        if number and size > most:
            return
        yield page


def _stored(review: Review, page: SitePage) -> dict[str, object]:
    """The facts of a page's file, None where it is gone since the site was read, or too large to be given."""
    try:
        source = review.store.read(page.path, any_size=True)
        with review.store.open_file(page.file) as file:
            size = file.seek(0, 2)
    except (FileNotFoundError, TwinpressError):
        return dict.fromkeys(_OF_FILE)
    told = page_of(source)
    is_given = bool(source.text) or not size
    texts = msgspec.to_builtins(told) if is_given else {}
    texts = {name: text for name, text in texts.items() if name in _OF_FILE}
    return {**dict.fromkeys(_OF_FILE), "revision": source.revision, "size": size, **texts}


def _order(review: Review, site: Site) -> dict[str, int]:
    """The place of each page in the order of reading, from 1."""
    layout = review.with_drafts(site)[1].layout
    pages = sidebar.pages_in_order(layout.root) if layout else ()
    return {page.path: place for place, page in enumerate(pages, 1)}


def _counts(review: Review, site: Site, seconds: float) -> dict[str, LevelCounts]:
    """The numbers of diagnostics of each page that is checked by now."""
    state = checked(review, site, seconds)
    found: dict[str, list[Diagnostic]] = defaultdict(list)
    for file, path in state.paths.items():
        if state.checked == state.pages or file <= state.until:
            found[path] = []
    for one in state.diagnostics:
        if one.file in state.paths:
            found[state.paths[one.file]].append(one)
    return {path: counts_of(its) for path, its in found.items()}
