"""Check a whole site: the diagnostics that a build has, and those of drafts, without anything written.

With a cache only those pages are rendered that are others than at the last check, or are told something else
by the rest of the site. Apart from the service, which has sites checked in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from builder.cache import Cache
from builder.diagnostics import Diagnostic
from builder.output import NullOutput
from builder.plan.anchor_check import PageLinks, check_anchors, known_links, links_of
from builder.plan.copied_files import copy_files
from builder.plan.layout import HOME, Layout, lay_out, reading_order
from builder.plan.make_shared import SiteFacts, make_shared
from builder.plan.options import Options
from builder.plan.prepare import Prepared, part_files, prepare
from builder.produce.author_pages import author_pages
from builder.render import StandingPage
from builder.render.render_page import render_text
from builder.site import Site, read_sources, site_of
from builder.store import ContentStore
from builder.store.part_files import PartFiles
from builder.workers.executor import LocalExecutor


class CheckedSite(Struct, frozen=True):
    """A site, and all that is wrong with it, sorted by place."""

    site: Site
    diagnostics: tuple[Diagnostic, ...]


class _Links(Struct, frozen=True):
    """The links and anchors of pages, and of their hand-written twins."""

    pages: list[PageLinks]
    twins: list[PageLinks]

    def add(self, own: PageLinks, twin: PageLinks | None) -> None:
        """Take those of one page."""
        self.pages.append(own)
        if twin:
            self.twins.append(twin)

    def answer_at_home(self, layout: Layout) -> None:
        """Let links to `/` lead to the places of the page that answers there too."""
        if layout.home:
            home = next(each for each in self.pages if each.path == layout.home.path)
            self.pages.append(replace(home, path=HOME, links=()))


class _NothingWritten(NullOutput):
    """An output whose files are never missing: what the cache knows of a page is all that is asked for."""

    def has_all(self, paths: Sequence[str], key: bytes) -> bool:
        """Nothing need be written."""
        return True


def check_site(root: Path, options: Options) -> CheckedSite:
    """Check the site in the folder `root`. Raises ConfigError, ThemeError and StorageError.

    Of a draft it says what it would say if all drafts were published.
    """
    with ContentStore(root) as store, closing(Cache(root, options.cache)) as cache:
        sources = read_sources(store, plan=options.plan, url=options.url, memory=cache.memory)
        site = site_of(sources, drafts=False)
        prepared = prepare(root, store, site, options)
        links = _Links([], [])
        found = [*site.diagnostics, *prepared.diagnostics, *_pages(prepared, cache, options, links)]
        found += copy_files(store, prepared.layout.files, _NothingWritten(), options)
        cache.keep_sources(page.path for page in (*site.pages, *site.drafts))
        found += cache.diagnostics
    links.answer_at_home(prepared.layout)
    found += check_anchors([*links.pages, prepared.links], links.twins)
    if site.drafts:
        found += _of_drafts(site_of(sources, drafts=True), links, part_files(root, options))
    return CheckedSite(site, tuple(sorted(set(found))))


def _pages(prepared: Prepared, cache: Cache, options: Options, links: _Links) -> Iterator[Diagnostic]:
    """Yield what is wrong with pages that are published, and take note of their links."""
    pages = author_pages(prepared.shared, cache, _NothingWritten())
    for page, _ in pages.rendered(reading_order(prepared.layout), LocalExecutor(options.jobs)):
        if isinstance(page, StandingPage):
            yield from page.known.diagnostics
            links.add(*known_links(page))
        else:
            yield from page.content.diagnostics
            links.add(*links_of(page.file, page.path, page.content.body, page.content.twin_links))


def _of_drafts(site: Site, published: _Links, parts: PartFiles) -> Iterator[Diagnostic]:
    """Yield what is wrong with the drafts of a site that has them among its pages."""
    layout = lay_out(site)
    context = make_shared(layout, [], Options(drafts=True), SiteFacts(parts=parts)).context
    drafts = [page for page in site.pages if page.meta.draft]
    files = {file for page in drafts for file in (page.file, page.twin_file)}
    yield from (one for one in (*site.diagnostics, *layout.diagnostics) if one.file in files)
    own = _Links([], [])
    for page in drafts:
        text = render_text(page, context)
        yield from text.diagnostics
        own.add(*links_of(page.file, page.path, text.body, text.twin_links))
    every = [*(replace(each, links=()) for each in published.pages), *own.pages]
    twins = [*(replace(each, links=()) for each in published.twins), *own.twins]
    yield from check_anchors(every, twins)
