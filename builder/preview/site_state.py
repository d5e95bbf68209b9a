"""One state of a site's sources, known before a page is made, and all that is wrong with the site then."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from builder.cache import keys
from builder.diagnostics import Diagnostic
from builder.markdown.page import OutgoingLink
from builder.output import MemoryOutput
from builder.plan.anchor_check import PageLinks, check_anchors
from builder.plan.copied_files import copy_files
from builder.plan.layout import HOME, reading_order
from builder.plan.llms_full import seems_large
from builder.plan.options import Options
from builder.plan.prepare import Prepared, prepare
from builder.preview.page_texts import Around, PageText
from builder.preview.site_paths import Source, sources
from builder.render import Templates, site_digest
from builder.site import Memory, Site, SitePage, Sources, placed, read_sources, site_of
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
    found = read_sources(store, plan=options.plan, memory=memory)
    site = site_of(found, drafts=options.drafts)
    prepared = prepare(store.root, store, site, options)
    copies = MemoryOutput()
    unread = tuple(copy_files(store, prepared.layout.files, copies, options))
    layout, shared = prepared.layout, prepared.shared
    if shared.theme_folders.has_templates:
        shared = replace(shared, templates=templates)
        prepared = replace(prepared, shared=shared)
    context = replace(shared.context, site_digest=site_digest(shared.context))
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
    paths = {page.path for _, page in pairs if page is not None and page.path in last.pages}
    site = site_of(found, drafts=options.drafts)
    new = {page.path: _marked_as(last.pages[page.path], page) for page in site.pages if page.path in paths}
    state = replace(last, sources=found, site=site, pages={**last.pages, **new})
    return state if _is_as_large(state) else None


def _is_as_large(state: State) -> bool:
    """Return whether places are kept for parts of `llms-full.txt` if these are needed, and else none."""
    full = state.prepared.layout.full
    return seems_large(state.pages[page.path] for page in full.pages) == full.seems_large


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


class SiteDiagnostics:
    """Is told of every page that is made. All links are looked at again only where one may be broken."""

    def __init__(self) -> None:
        self._known: dict[str, PageText] = {}
        self._new: dict[str, PageText] = {}
        self._said: dict[str, tuple[Diagnostic, ...]] = {}
        self._broken: tuple[Diagnostic, ...] = ()
        self._prepared: Prepared | None = None

    def take(self, text: PageText) -> None:
        """A page as it is now."""
        if self._known.get(text.page.path) is not text:
            self._new[text.page.path] = text

    def of(self, state: State) -> tuple[Diagnostic, ...]:
        """All that is wrong with the site, sorted by place, when all of its pages have been taken."""
        is_quick = self._prepared is state.prepared and not self._broken and self._breaks_nothing()
        self._known.update(self._new)
        for path, text in self._new.items():
            self._said.pop(path, None)
            if text.diagnostics:
                self._said[path] = text.diagnostics
        self._new.clear()
        if not is_quick:
            self._look_at_all(state)
        said = (one for found in self._said.values() for one in found)
        return tuple(sorted({*state.diagnostics, *said, *self._broken}))

    def _breaks_nothing(self) -> bool:
        """Return whether all links lead somewhere, if they did before the new pages came."""
        return all(self._loses_nothing(text) and self._leads_somewhere(text) for text in self._new.values())

    def _loses_nothing(self, text: PageText) -> bool:
        before = self._known.get(text.page.path)
        return before is not None and all(a <= b for a, b in zip(_ids(before), _ids(text), strict=True))

    def _leads_somewhere(self, text: PageText) -> bool:
        return all(link.fragment == "top" or link.fragment in self._there(link.path) for link in _links(text))

    def _there(self, path: str) -> frozenset[str]:
        found = self._new.get(path) or self._known.get(path)
        return found.links.ids if found else frozenset()

    def _look_at_all(self, state: State) -> None:
        self._prepared = state.prepared
        self._known = {path: self._known[path] for path in state.pages}
        self._said = {path: found for path, found in self._said.items() if path in state.pages}
        texts = self._known.values()
        twins = [text.twin_links for text in texts if text.twin_links]
        links = [*(text.links for text in texts), *self._home(state), state.prepared.links]
        self._broken = tuple(check_anchors(links, twins))

    def _home(self, state: State) -> Iterable[PageLinks]:
        """The places on the page that answers at `/` too."""
        home = state.prepared.layout.home
        if home is not None:
            yield replace(self._known[home.path].links, path=HOME, links=())


def _ids(text: PageText) -> tuple[frozenset[str], frozenset[str]]:
    """The places on a page, and those in its twin."""
    return text.links.ids, text.twin_links.ids if text.twin_links else frozenset()


def _links(text: PageText) -> Iterator[OutgoingLink]:
    yield from text.links.links
    if text.twin_links:
        yield from text.twin_links.links
