"""Read a whole site: configuration, every page's source and frontmatter, categories, files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from msgspec import Struct

from builder.config import CONFIG_FILE, SIDEBAR_FILE, SiteConfig
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.errors import ConfigError, StorageError
from builder.site.included import (
    IncludedFiles,
    has_names,
    included_files,
    includes,
    labelled,
    published_files,
    titled,
    variable_scopes,
    with_title,
)
from builder.site.pages import SitePage
from builder.site.placed import Placed, placed
from builder.site.reader import Memory, Read, of_source
from builder.site.redirects_file import FILE, with_redirects_file
from builder.store import CategoryRecord, KnownCategory, PageFile, Scan, SiteFile, Source
from builder.store.source_reader import SourceReader
from builder.version import VERSION

MISNAMED = "site.yaml"
SETTINGS = (CONFIG_FILE, SIDEBAR_FILE)
"""The files of the site's settings."""
REDIRECTS_FILE = FILE
Plan = Literal["free", "premium"]


class Site(Struct, frozen=True):
    """Everything that is known before the first page is rendered. `pages` are sorted by path.

    `linked` are files that have another name outside of the site (a hard link). `included` is a digest of
    all that pages include.
    """

    config: SiteConfig
    pages: tuple[SitePage, ...]
    drafts: tuple[SitePage, ...]
    categories: Mapping[str, CategoryRecord]
    files: tuple[SiteFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    linked: tuple[str, ...] = ()
    included: bytes = b""

    @property
    def folders(self) -> Mapping[str, CategoryRecord]:
        """The categories as readers see them: with the values of variables in their labels."""
        return labelled(self.categories, variable_scopes(self.config, self.categories))


def empty_site(plan: Plan | None = None) -> Site:
    """Return a site with neither settings nor pages: who knows a folder to be one begins with this."""
    settings = SiteConfig() if plan is None else replace(SiteConfig(), plan=plan)
    return Site(settings, (), (), {}, (), ())


def sources_digest(site: Site) -> bytes:
    """Return a digest of all that decides what is wrong with a site, drafts included."""
    pages = [(page.file, page.twin_file, page.digest) for page in (*site.pages, *site.drafts)]
    files = [file.file for file in site.files]
    rest: tuple[object, ...] = (site.config, dict(site.categories), site.diagnostics, site.linked)
    rest += (site.included,) if site.included else ()
    try:
        return digest(VERSION, pages, files, rest)
    except (OverflowError, UnicodeEncodeError):  # a number of more than 64 bits, half of a surrogate pair
        return digest(VERSION, repr((pages, files, rest)))


class Sources(Struct, frozen=True):
    """A site as it was read. `found` is what is wrong with `site.yml`, `read` are the pages of the scan."""

    config: SiteConfig
    found: tuple[Diagnostic, ...]
    scan: Scan
    read: tuple[Read, ...]
    included: IncludedFiles = IncludedFiles()


Scanner = Callable[[dict[str, KnownCategory]], Scan]
"""Lists what lies in a site; it is given the category files that are known, and leaves those of now."""
Prefetch = Callable[[SourceReader, Sequence[PageFile], Memory], None]
"""Reads pages into a memory, which knows none of them as it is now, quicker than one after the other; it may
leave some out."""


def load(
    store: SourceReader,
    *,
    plan: Plan | None = None,
    url: str | None = None,
    drafts: bool = False,
    memory: Memory | None = None,
    prefetch: Prefetch | None = None,
) -> Site:
    """Read the site in `store`; `plan` and `url` override the configuration's, `drafts` keeps drafts.

    A `memory` spares reading pages that have not changed since it was last used; `prefetch` may fill it.

    Raises ConfigError when the folder is no site: it has neither `site.yml` nor pages.
    """
    sources = read_sources(store, plan=plan, url=url, memory=memory, prefetch=prefetch)
    return site_of(sources, drafts=drafts)


def read_sources(
    store: SourceReader,
    *,
    plan: Plan | None = None,
    url: str | None = None,
    memory: Memory | None = None,
    prefetch: Prefetch | None = None,
) -> Sources:
    """Read the sources that `load` makes a site of; raises as `load` does."""
    memory = memory or Memory(store.root)
    return with_pages(store, listed_sources(store, plan=plan, url=url, memory=memory), memory, prefetch)


def listed_sources(
    store: SourceReader,
    *,
    plan: Plan | None = None,
    url: str | None = None,
    memory: Memory,
    scan: Scanner | None = None,
) -> Sources:
    """The sources of which no page is read yet; raises as `load` does. `scan` stands for the store's own."""
    settings, found = load_config(store, memory)
    if plan is not None:
        settings = replace(settings, plan=plan)
    if url is not None:
        settings = replace(settings, url=url)
    listed = (scan or store.scan)(memory.categories)
    settings, said = with_redirects_file(store, listed, settings)
    return Sources(settings, found + said, listed, ())


def with_pages(
    store: SourceReader, sources: Sources, memory: Memory, prefetch: Prefetch | None = None
) -> Sources:
    """The same sources with their pages."""
    read = tuple(_pages(store, sources.scan.pages, memory, prefetch))
    pages = (each.page for each in read if each.page is not None)
    included = included_files(store, sources.config, sources.scan, pages)
    return Sources(sources.config, sources.found, sources.scan, read, included)


def _pages(
    store: SourceReader, files: Sequence[PageFile], memory: Memory, prefetch: Prefetch | None
) -> Iterator[Read]:
    """The pages, of which those that are as they were are not read; the memory has all of them then."""
    known = [memory.recall(file) for file in files]
    memory.expect(store, len(files))
    if prefetch:
        prefetch(store, [file for file, read in zip(files, known, strict=True) if read is None], memory)
    for file, read in zip(files, known, strict=True):
        yield memory.packed(read or memory.read(store, file))
    memory.keep(frozenset(file.path for file in files))


def site_of(sources: Sources, *, drafts: bool) -> Site:
    """The site that has these sources."""
    scan, read, config = sources.scan, sources.read, sources.config
    placed = Placed(config)
    pages = [placed.page(each.page) for each in read if each.page is not None]
    if sources.included.titles:
        pages = [with_title(page, sources.included.titles) for page in pages]
    scopes = variable_scopes(config, scan.categories)
    if any(map(has_names, pages)):
        pages = [titled(page, scopes) for page in pages]
    shown = tuple(page for page in pages if drafts or not page.meta.draft)
    hidden = tuple(page for page in pages if page.meta.draft and not drafts)
    left_out = {page.file for page in hidden if page.document.frontmatter.get("draft") is True}
    said = tuple(one for each in read for one in each.diagnostics if one.file not in left_out)
    parts = () if includes(config) else tuple(found for _, found in scan.parts)
    scanned = tuple(sorted((*scan.diagnostics, *parts))) if parts else scan.diagnostics
    found = (*sources.found, *scanned, *sources.included.diagnostics, *placed.told(said))
    copied = tuple(
        file for file in scan.files if file.file != REDIRECTS_FILE
    )  # its rules are in the settings
    files = placed.files(published_files(config, copied))
    return Site(config, shown, hidden, scan.categories, files, found, scan.linked, sources.included.digest)


def shown_page(source: Source, site: Site) -> SitePage | None:
    """The page that a source is, with its title as readers of the site see it; None for one that is none."""
    page = of_source(source, "").page
    return page and titled(placed(page, site.config), variable_scopes(site.config, site.categories))


def load_config(
    store: SourceReader, memory: Memory | None = None
) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    """`site.yml`, or the defaults when it cannot be read, or when there is none but there are pages."""
    memory = memory or Memory(store.root)
    try:
        data = store.read_file(CONFIG_FILE)
    except FileNotFoundError:
        if not store.has_pages():
            raise ConfigError(
                "this folder is no site: it has no `site.yml`, no folder `docs` and no folder `pages`",
                path=str(store.root),
                hint="create one with `twinpress new my-docs`, or name the site's folder",
            ) from None
        return SiteConfig(), tuple(_misnamed(store))
    except StorageError as error:
        return SiteConfig(), (Diagnostic(CONFIG_FILE, 0, 0, "config-invalid", error.message, error.hint),)
    _, settings, found = memory.configured(data, _sidebar_file(store))
    return settings, found


def _sidebar_file(store: SourceReader) -> bytes | None:
    try:
        return store.read_file(SIDEBAR_FILE)
    except (FileNotFoundError, StorageError):
        return None


def _misnamed(store: SourceReader) -> Iterator[Diagnostic]:
    """A configuration that nobody reads."""
    try:
        store.read_file(MISNAMED)
    except FileNotFoundError:
        return
    except StorageError:
        pass  # whatever it is, it has the name of a configuration
    yield Diagnostic(MISNAMED, 0, 0, "config-invalid", "is not read", f"rename it to `{CONFIG_FILE}`")
