"""Links that a change breaks elsewhere: of pages that it did not touch, and of the settings.

Only pages are rendered that have the name of something that is gone: a page, a heading, a file.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, unquote

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.review.review import SETTINGS_FILES, Inbound, Review, Surroundings, may_include
from builder.site import Site, SitePage

_CODES = frozenset({"broken-link", "broken-anchor", "broken-image", "link-draft"})
_OF_SETTINGS = frozenset({*_CODES, "redirect-invalid", "sidebar-invalid"})
_HOME = "pages/index"


class OutOfTime(Exception):
    """The links cannot all be looked at in time."""


class SiteState(Struct, frozen=True):
    """A site before or after a change, with the review of its pages."""

    site: Site
    review: Review

    @property
    def around(self) -> Surroundings:
        """The surroundings of its pages."""
        return self.review.around(self.site)

    @property
    def pages(self) -> Mapping[str, SitePage]:
        """Its pages by content path, drafts too."""
        return {page.path: page for page in (*self.site.pages, *self.site.drafts)}


def broken_links(
    before: SiteState, now: SiteState, touched: frozenset[str], origins: Mapping[str, str], until: float
) -> tuple[Inbound, ...]:
    """Return the links that lead nowhere now, and did not before, but for those of pages in `touched`.

    `origins` has the path that a page had before, by the one it has now. Raises OutOfTime when it takes
    longer than `until` (`time.monotonic`).
    """
    found = set(_of_settings(before.around, now.around))
    names, folders = _gone(before, now, until)
    old_pages, around, around_now = before.pages, before.around, now.around
    for page in now.pages.values() if names or folders else ():
        if page.path in touched or not _may_lead(page, names, folders, around_now):
            continue
        _check_time(until)
        old = old_pages.get(origins.get(page.path, page.path))
        known = {_mark(one) for one in before.review.told(old, around)} if old else set()
        for one in now.review.told(page, around_now):
            if one.code in _CODES and _mark(one) not in known:
                found.add(Inbound(page.path, one.file, one.line, one.column))
    return tuple(sorted(found))


def _mark(one: Diagnostic) -> tuple[object, ...]:
    """The form of a finding that stays when the page moves, or another link in its line is longer."""
    return one.code, one.line, one.message


def _may_lead(page: SitePage, names: frozenset[str], folders: frozenset[str], around: Surroundings) -> bool:
    texts = (page.document.body, page.twin or "")
    if any(name in text for name in names for text in texts) or _HOME in folders:
        return True
    return page.path.startswith(tuple(folders)) or may_include(page, around.context)


def _gone(before: SiteState, now: SiteState, until: float) -> tuple[frozenset[str], frozenset[str]]:
    """The names, of which a link to what is gone has one; and folders in which it need not have any."""
    pages, now_pages, around, around_now = before.pages, now.pages, before.around, now.around
    names, folders = set[str](), set[str]()
    for path, page in pages.items():
        new = now_pages.get(path)
        if new is page:
            continue
        stays = new is not None and new.url == page.url and new.meta.draft == page.meta.draft
        if stays and new is not None and _same_text(page, new):
            continue
        _check_time(until)
        if stays and before.review.ids_of(path, around) <= now.review.ids_of(path, around_now):
            continue
        names |= _names_of(page)
        folders |= _folders_of(page)
    outputs = {file.output for file in now.site.files}
    names |= {file.output.rpartition("/")[2] for file in before.site.files if file.output not in outputs}
    return frozenset(one for name in names if name for one in (name, quote(name))), frozenset(folders)


def _same_text(page: SitePage, new: SitePage) -> bool:
    return page.document.body == new.document.body and page.format == new.format


def _names_of(page: SitePage) -> set[str]:
    """The last names of a page's path and address; of one that stands for its folder, the folder's."""
    places = (page.path, unquote(page.url).strip("/"))
    names = {place.rpartition("/")[2] for place in places}
    return names | ({page.path.split("/")[-2]} if page.path.endswith("/index") else set())


def _folders_of(page: SitePage) -> set[str]:
    if page.path == _HOME:
        return {_HOME}
    return {page.path.removesuffix("index")} if page.path.endswith("/index") else set()


def _of_settings(before: Surroundings, now: Surroundings) -> Iterator[Inbound]:
    """The links of the settings that lead nowhere now; a line in which they stand may be another one."""
    known = [_in_settings(one) for one in _settings_only(before.diagnostics)]
    for one in _settings_only(now.diagnostics):
        mark = _in_settings(one)
        if mark in known:
            known.remove(mark)
        else:
            yield Inbound("", one.file, one.line, one.column)


def _settings_only(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    return (one for one in diagnostics if one.file in SETTINGS_FILES and one.code in _OF_SETTINGS)


def _in_settings(one: Diagnostic) -> tuple[str, str, str]:
    return one.file, one.code, one.message


def _check_time(until: float) -> None:
    if time.monotonic() > until:
        raise OutOfTime
