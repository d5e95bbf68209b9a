"""Links that a change breaks elsewhere: of pages that it did not touch, and of the settings.

Only pages are rendered that have the name of something that is gone: a page, a heading, a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.moves.named_places import NamedPlaces, by_path, spellings
from builder.paths import DOCS
from builder.review.inbound_links import SETTINGS_FILES, Inbound, may_include
from builder.review.review import Review
from builder.review.surroundings import Surroundings
from builder.review.work_budget import WorkBudget
from builder.site import Site, SitePage

_CODES = frozenset({"broken-link", "broken-anchor", "broken-image", "link-draft"})
_OF_SETTINGS = frozenset({*_CODES, "redirect-invalid", "sidebar-invalid"})
_HOME = "pages/index"


class OutOfTime(Exception):
    """The links cannot all be looked at in time."""


class SiteState(Struct, frozen=True, dict=True):
    """A site before or after a change, with the review of its pages."""

    site: Site
    review: Review

    @cached_property
    def around(self) -> Surroundings:
        """The surroundings of its pages."""
        return self.review.around(self.site)

    @cached_property
    def pages(self) -> Mapping[str, SitePage]:
        """Its pages by content path, drafts too."""
        return {page.path: page for page in (*self.site.pages, *self.site.drafts)}


def broken_links(
    before: SiteState,
    now: SiteState,
    touched: frozenset[str],
    origins: Mapping[str, str],
    budget: WorkBudget,
    *,
    astray: frozenset[str] = frozenset(),
) -> tuple[Inbound, ...]:
    """Return the links that lead nowhere now, and did not before, but for those of pages in `touched`.

    `origins` has the path that a page had before, by the one it has now. Files that are `astray` may have
    links to what is gone whatever they say. Raises OutOfTime when the budget is spent; what was found out of
    pages until then is known the next time.
    """
    found = set(_of_settings(before.around, now.around))
    gone = _gone(before, now, budget)
    old_pages, around, around_now = before.pages, before.around, now.around
    for page in now.pages.values() if gone.any or astray else ():
        leads = not astray.isdisjoint((page.file, page.twin_file)) or gone.may_lead(page, around_now)
        if page.path in touched or not leads:
            continue
        _check_time(budget)
        old = old_pages.get(origins.get(page.path, page.path))
        known = before.review.told(old, around) if old else ()
        for one in _new(known, now.review.told(page, around_now), follows=bool(origins)):
            found.add(Inbound(page.path, one.file, one.line, one.column))
    return tuple(sorted(found))


def _new(known: Iterable[Diagnostic], now: Iterable[Diagnostic], *, follows: bool) -> Iterator[Diagnostic]:
    """Yield findings about links that were not there before; columns move when a link in the line is longer.

    Where a link `follows` what has moved, its finding names another place: as many of a line as are gone
    are the same.
    """
    marks = Counter(map(_mark, known))
    other = [one for one in now if one.code in _CODES and not _taken(marks, _mark(one))]
    places = Counter[object]()
    for (code, line, _), number in marks.items() if follows else ():
        places[code, line] += number
    return (one for one in other if not _taken(places, (one.code, one.line)))


def _mark(one: Diagnostic) -> tuple[str, int, str]:
    return one.code, one.line, one.message


def _taken(counted: Counter[Any], mark: object) -> bool:
    """Take one away; False where there is none."""
    if counted[mark] < 1:
        return False
    counted[mark] -= 1
    return True


class _Gone(Struct, frozen=True):
    """The ends of links that are gone: `places` by their paths, `names` of which a link to others has one.

    Links to what stands for one of the `folders` need have no name.
    """

    places: NamedPlaces | None
    names: frozenset[str]
    folders: tuple[str, ...]

    @property
    def any(self) -> bool:
        """True if there is anything."""
        return bool(self.places is not None or self.names or self.folders)

    def may_lead(self, page: SitePage, around: Surroundings) -> bool:
        """Return whether a link of a page may be one to what is gone."""
        texts = (page.document.body, page.twin or "")
        if _HOME in self.folders or page.path.startswith(self.folders) or may_include(page, around.context):
            return True
        if self.places is not None and self.places.may_be_in(texts, page.path):
            return True
        return any(name in text for name in self.names for text in texts)


def _gone(before: SiteState, now: SiteState, budget: WorkBudget) -> _Gone:
    """Find pages, headings and files that were there before."""
    pages = list(_gone_pages(before, now, budget))
    outputs = {file.output for file in now.site.files}
    names = {file.output.rpartition("/")[2] for file in before.site.files if file.output not in outputs}
    places = list[str]()
    for page in pages:
        if by_path(before.site.config) and page.path.startswith(f"{DOCS}/") and page.path != f"{DOCS}/index":
            places.append(page.path)
        else:
            names |= _names_of(page)
    spelled = frozenset(one for name in names if name for one in spellings(name))
    folders = {folder for page in pages for folder in _folders_of(page)}
    return _Gone(NamedPlaces.of(places) if places else None, spelled, tuple(sorted(folders)))


def _gone_pages(before: SiteState, now: SiteState, budget: WorkBudget) -> Iterator[SitePage]:
    pages, now_pages, around, around_now = before.pages, now.pages, before.around, now.around
    for path, page in pages.items():
        new = now_pages.get(path)
        if new is page:
            continue
        stays = new is not None and new.url == page.url and new.meta.draft == page.meta.draft
        if stays and new is not None and _same_text(page, new):
            continue
        _check_time(budget)
        if stays and before.review.ids_of(path, around) <= now.review.ids_of(path, around_now):
            continue
        yield page


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


def _check_time(budget: WorkBudget) -> None:
    if budget.is_spent:
        raise OutOfTime
