"""One state of a site's sources, known before a page is made."""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from builder.cache import keys
from builder.diagnostics import Diagnostic
from builder.digests import SIZE
from builder.frontmatter import KeptDocument
from builder.output import MemoryOutput
from builder.plan.copied_files import copy_files
from builder.plan.layout import reading_order
from builder.plan.llms_full import LARGEST, seems_large
from builder.plan.options import Options
from builder.plan.prepare import Prepared, prepare
from builder.preview.page_texts import Around
from builder.preview.site_paths import OfPage, Source, sources
from builder.render import Templates, site_digest
from builder.site import (
    Memory,
    Site,
    SitePage,
    Sources,
    has_slugs,
    placed,
    read_sources,
    site_of,
    titled,
    variable_scopes,
)
from builder.store import PAGE_LIMIT, ContentStore

_PACKING = 64
"""Bytes by which a text may become larger when it is compressed."""
MANY = 100
"""Files; when more have changed, the system may not have told of all."""


class State(Struct, frozen=True):
    """`pages` are the authors' pages that are shown, in the order in which they are read.

    `written` says what makes each file, `copied` where those lie that are copied. `files` gives the place
    in the scan of each page that a file belongs to. `diagnostics` are all but those of pages.
    """

    sources: Sources
    site: Site
    prepared: Prepared
    around: Around
    pages: Mapping[str, SitePage]
    written: Mapping[str, Source]
    copied: Mapping[str, str]
    files: Mapping[str, int]
    said: tuple[Diagnostic, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The faults that are known without making a page."""
        return (*self.site.diagnostics, *self.said)

    @property
    def has_templates(self) -> bool:
        """True if the site's own theme has templates, which may fail."""
        return self.prepared.shared.theme_folders.has_templates


def read_state(
    store: ContentStore, options: Options, memory: Memory, templates: Templates | None = None
) -> State:
    """The state of the site in `store`, whose own templates are filled by `templates`.

    Raises ConfigError when the folder is no site, ThemeError when its own theme fails, StorageError when the
    file system refuses.
    """
    return state_of(store, options, read_sources(store, plan=options.plan, memory=memory), templates)


def state_of(
    store: ContentStore,
    options: Options,
    found: Sources,
    templates: Templates | None = None,
    *,
    is_read: bool = True,
) -> State:
    """The state of the site that has these sources, or a sketch of it; raises as `read_state` does."""
    site = site_of(found, drafts=options.drafts)
    prepared = prepare(store.root, store, site, options, is_read=is_read)
    copies = MemoryOutput()
    unread = tuple(copy_files(store, prepared.layout.files, copies, options))
    layout, shared = prepared.layout, prepared.shared
    if shared.theme_folders.has_templates:
        shared = replace(shared, templates=templates)
        prepared = replace(prepared, shared=shared)
    known = site_digest(shared.context) if is_read else os.urandom(SIZE)  # no page is right for both
    context = replace(shared.context, site_digest=known)
    return State(
        sources=found,
        site=site,
        prepared=prepared,
        around=Around(context, keys.context_key(context)),
        pages={page.path: page for page in reading_order(layout)},
        written=sources(layout, shared),
        copied=copies.copied,
        files=_files(found),
        said=(*prepared.diagnostics, *unread),
    )


def reread(
    store: ContentStore, options: Options, memory: Memory, last: State, changed: Collection[str]
) -> State | None:
    """The state after a change of these files, where nothing but the text of pages is another.

    None where more is, or may be: what a page says of itself beside its text (title, position, ...) stands
    on other pages too.
    """
    numbers = {last.files.get(file, -1) for file in changed}
    if -1 in numbers or len(changed) > MANY or not all(_is_page(store.root, file) for file in changed):
        return None
    read = list(last.sources.read)
    for number in numbers:
        read[number] = memory.read(store, last.sources.scan.pages[number])
    pairs = [
        (_placed(last.sources, last.sources.read[n].page), _placed(last.sources, read[n].page))
        for n in numbers
    ]
    if any(old is None or new is None or _facts(old) != _facts(new) for old, new in pairs):
        return None
    found = replace(last.sources, read=tuple(read))
    site = _near(last, found, numbers) or site_of(found, drafts=options.drafts)
    paths = {page.path for _, page in pairs if page is not None and page.path in last.pages}
    pages = (page for path in paths if (page := _page_at(site.pages, path)))
    new = {page.path: _marked_as(last.pages[page.path], page) for page in pages}
    state = replace(last, sources=found, site=site, pages={**last.pages, **new})
    return state if _is_as_large(state) else None


def _near(last: State, found: Sources, numbers: Collection[int]) -> Site | None:
    """The site in which the pages with these numbers are others; None where more has to be looked at."""
    read = [(last.sources.read[number], found.read[number]) for number in numbers]
    told = any(one.diagnostics for each in read for one in each)
    if told or found.included.titles or has_slugs(found.config):
        return None
    scopes = variable_scopes(found.config, found.scan.categories)
    pages = list(last.site.pages)
    for _, each in read:
        at = _place(pages, each.page.path) if each.page else len(pages)
        if each.page is None or at == len(pages) or pages[at].path != each.page.path:
            return None
        pages[at] = titled(placed(each.page, found.config), scopes)
    return replace(last.site, pages=tuple(pages))


def _place(pages: Sequence[SitePage], path: str) -> int:
    """The place at which the page at a content path is, or would be."""
    return bisect_left(pages, path, key=attrgetter("path"))


def _page_at(pages: Sequence[SitePage], path: str) -> SitePage | None:
    at = _place(pages, path)
    return pages[at] if at < len(pages) and pages[at].path == path else None


def _is_as_large(state: State) -> bool:
    """Return whether places are kept for parts of `llms-full.txt` if these are needed, and else none."""
    full = state.prepared.layout.full
    if full.seems_large and any(
        size > LARGEST for size in accumulate(map(_least_size, state.pages.values()))
    ):
        return True
    return seems_large(state.pages[page.path] for page in full.pages) == full.seems_large


def _least_size(page: SitePage) -> int:
    """Bytes that the text of a listed page has at least, known without unpacking the text."""
    if page.twin is not None or not page.is_listed:
        return 0
    document = page.document
    return document.size if isinstance(document, KeptDocument) else max(0, len(document.packed) - _PACKING)


def _marked_as(old: SitePage, page: SitePage) -> SitePage:
    """The page with what the sidebar's file said of it."""
    return replace(page, left_out=old.left_out, in_sidebar=old.in_sidebar)


def _placed(sources: Sources, page: SitePage | None) -> SitePage | None:
    return placed(page, sources.config) if page else None


def _files(found: Sources) -> dict[str, int]:
    files: dict[str, int] = {}
    for number, page in enumerate(found.scan.pages):
        files[page.file] = number
        if page.twin_file:
            files[page.twin_file] = number
    return files


def _is_page(root: Path, file: str) -> bool:
    """Return whether the file is one that can be read as a page or a twin, as it was when it was found."""
    try:
        about = os.lstat(f"{root}/{file}")
    except OSError:
        return False
    return stat.S_ISREG(about.st_mode) and about.st_size <= PAGE_LIMIT


def _facts(page: SitePage) -> object:
    """All of a page that anything else than itself may depend on: its files, too, and whether it is shown."""
    files = page.file, page.format, page.twin_file, page.twin is None
    return page.listing, files, page.document.frontmatter.get("draft")


def pages_of(state: State, files: Iterable[str]) -> list[str]:
    """The content paths of the pages that these files belong to."""
    numbers = (state.files[file] for file in files if file in state.files)
    paths = (state.sources.scan.pages[number].path for number in numbers)
    return [path for path in paths if path in state.pages]


def shown(state: State, outputs: Iterable[str]) -> list[str]:
    """The pages at these output paths."""
    found = map(state.written.get, outputs)
    return [source.path for source in found if isinstance(source, OfPage)]
