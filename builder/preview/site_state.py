"""One state of a site's sources: all that is known before a page is made."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from builder.cache import keys
from builder.diagnostics import Diagnostic
from builder.output import MemoryOutput
from builder.plan.copied_files import copy_files
from builder.plan.layout import reading_order
from builder.plan.options import Options
from builder.plan.prepare import Prepared, prepare
from builder.preview.page_texts import Around
from builder.preview.site_paths import Source, sources
from builder.render import Templates, site_digest
from builder.site import Memory, Site, SitePage, Sources, read_sources, site_of
from builder.store import PAGE_LIMIT, ContentStore

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
        """What is wrong, as far as no page was made to find out."""
        return (*self.site.diagnostics, *self.said)

    @property
    def has_templates(self) -> bool:
        """Whether the site's own theme has templates, which may fail."""
        return self.prepared.shared.theme_folders.has_templates


def read_state(
    store: ContentStore, options: Options, memory: Memory, templates: Templates | None = None
) -> State:
    """The state of the site in `store`, whose own templates are filled by `templates`.

    Raises ConfigError when the folder is no site, ThemeError when its own theme fails, StorageError when the
    file system refuses.
    """
    found = read_sources(store, plan=options.plan, memory=memory)
    site = site_of(found, drafts=options.drafts)
    prepared = prepare(store.root, store, site, options)
    copies = MemoryOutput()
    unread = tuple(copy_files(store, prepared.layout.files, copies, options))
    layout, shared = prepared.layout, prepared.shared
    if shared.theme_folders.has_templates:
        shared = replace(shared, templates=templates)
        prepared = replace(prepared, shared=shared)
    context = replace(shared.context, site=site_digest(shared.context))
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
    pairs = [(last.sources.read[number].page, read[number].page) for number in numbers]
    if any(old is None or new is None or _facts(old) != _facts(new) for old, new in pairs):
        return None
    found = replace(last.sources, read=tuple(read))
    new = {page.path: page for _, page in pairs if page is not None and page.path in last.pages}
    site = site_of(found, drafts=options.drafts)
    return replace(last, sources=found, site=site, pages={**last.pages, **new})


def _files(found: Sources) -> dict[str, int]:
    files: dict[str, int] = {}
    for number, page in enumerate(found.scan.pages):
        files[page.file] = number
        if page.twin_file:
            files[page.twin_file] = number
    return files


def _is_page(root: Path, file: str) -> bool:
    """Whether the file is one that can be read as a page or a twin, as it was when it was found."""
    try:
        about = os.lstat(f"{root}/{file}")
    except OSError:
        return False
    return stat.S_ISREG(about.st_mode) and about.st_size <= PAGE_LIMIT


def _facts(page: SitePage) -> object:
    """All of a page that anything else than itself may depend on: its files, too, and whether it is shown."""
    files = page.file, page.format, page.twin_file, page.twin is None
    return page.listing, files, page.document.frontmatter.get("draft")
