"""The diagnostics of a whole site, as `twinpress check` gives them, as far as there is time.

Apart from `review`, which looks at one page: `Review` is loaded before the first question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.output import NullOutput
from builder.plan.anchor_check import PageLinks, check_anchors
from builder.plan.copied_files import copy_files
from builder.plan.layout import HOME, Layout
from builder.plan.options import Options
from builder.plan.prepare import config_links, site_notes
from builder.review.page_records import PageRecord
from builder.review.review import Review, by_file
from builder.review.surroundings import Surroundings
from builder.site import Site, SitePage

Records = Mapping[str, PageRecord]


class Checked(Struct, frozen=True):
    """The diagnostics of a site, sorted: all of them when all `pages` are `checked`, else that of files up to
    `until`, without links to places on pages that are not checked.

    `paths` has the page of each file that is one's.
    """

    diagnostics: tuple[Diagnostic, ...]
    paths: Mapping[str, str]
    checked: int
    pages: int
    until: str


class _NothingWritten(NullOutput):
    """An output whose files are never missing."""

    def has_all(self, paths: Sequence[str], key: bytes) -> bool:
        """Nothing need be written."""
        return True


def checked(review: Review, site: Site, seconds: float) -> Checked:
    """Check the site that has just been asked for; pages are rendered for so many seconds at most.

    Of a draft it says what it would say if all drafts were published. Raises StorageError.
    """
    whole, records = review.rendered(site, seconds)
    around, (_, with_drafts) = review.around(site), review.with_drafts(site)
    pages = by_file(whole)
    done = _done(pages, records)
    found = {*_of_site(review, site, around), *_of_pages(site.pages, records, around)}
    if site.drafts:
        found.update(_of_drafts(whole, with_drafts, records))
    until = done[-1].file if done else ""
    if len(done) < len(pages):
        found = {one for one in found if one.file <= until}
    paths = {file: page.path for page in pages for file in (page.file, page.twin_file) if file}
    return Checked(tuple(sorted(found)), paths, len(done), len(pages), until)


def _done(pages: list[SitePage], records: Records) -> list[SitePage]:
    """The first pages that have records, one after the other."""
    end = next((at for at, page in enumerate(pages) if page.path not in records), len(pages))
    return pages[:end]


def _of_site(review: Review, site: Site, around: Surroundings) -> Iterator[Diagnostic]:
    """Yield what the site, its settings and its files say of themselves."""
    options = Options(analytics=False)
    yield from (*site.diagnostics, *around.diagnostics, *site_notes(site, options))
    files = around.layout.files if around.layout else ()
    yield from copy_files(review.store, files, _NothingWritten(), options)


def _of_pages(pages: tuple[SitePage, ...], records: Records, around: Surroundings) -> Iterator[Diagnostic]:
    """Yield what is wrong with pages that are published, and with links of the settings to places on them."""
    known = [records[page.path] for page in pages if page.path in records]
    yield from (one for record in known for one in record.diagnostics)
    layout = around.layout
    places = [record.links for record in known]
    if layout and layout.home and layout.home.path in records:
        places.append(replace(records[layout.home.path].links, path=HOME, links=()))
    if layout:
        places.append(config_links(layout.site.config, layout.redirect_targets(), around.context.links))
    is_whole = len(known) == len(pages)
    yield from check_anchors(places if is_whole else _answerable(places), _twins(known) if is_whole else [])


def _answerable(places: list[PageLinks]) -> list[PageLinks]:
    """Places without links to pages that are not among them."""
    there = {place.path for place in places}
    return [
        replace(place, links=tuple(link for link in place.links if link.path in there)) for place in places
    ]


def _twins(records: list[PageRecord]) -> list[PageLinks]:
    return [record.twin for record in records if record.twin is not None]


def _of_drafts(whole: Site, around: Surroundings, records: Records) -> Iterator[Diagnostic]:
    """Yield what is wrong with the drafts of a site that has them among its pages."""
    layout: Layout | None = around.layout
    drafts = [page for page in whole.pages if page.meta.draft]
    files = {file for page in drafts for file in (page.file, page.twin_file)}
    said = (*whole.diagnostics, *(layout.diagnostics if layout else ()))
    yield from (one for one in said if one.file in files)
    own = [records[page.path] for page in drafts if page.path in records]
    yield from (one for record in own for one in record.diagnostics)
    paths = {page.path for page in drafts}
    others = [record for path, record in records.items() if path not in paths]
    if len(records) == len(whole.pages):
        unasked = [replace(record.links, links=()) for record in others]
        twins = [replace(twin, links=()) for twin in _twins(others)]
        yield from check_anchors([*unasked, *(each.links for each in own)], [*twins, *_twins(own)])
