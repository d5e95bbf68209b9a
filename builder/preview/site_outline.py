"""A large site of which no page is read yet, so that one can be shown at once.

Its pages are known by their paths: what others say of a page (its title, its place in the sidebar) is guessed
from its file's name. The page that is looked at is read; its own text and where its links lead are right.
Meanwhile the whole site is read aside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Thread

from msgspec import Struct
from msgspec.structs import replace

from builder.cache import Cache
from builder.frontmatter import Document, Meta
from builder.plan.options import Options
from builder.preview.page_maker import Unfinished
from builder.preview.page_readers import PageReaders
from builder.preview.site_state import State, state_of
from builder.render import Templates
from builder.site import (
    Memory,
    Read,
    SitePage,
    Sources,
    has_slugs,
    listed_sources,
    placed,
    readable,
    titled,
    variable_scopes,
    with_pages,
)
from builder.store import ContentStore, PageFile
from builder.workers.processors import processors

LARGE = 4_000
"""Pages; fewer are read in the time in which one is awaited."""
_UNREAD = Document({}, Meta(), "", 1)


class Outline(Struct, frozen=True):
    """The state that is shown, whose pages are no texts; `listed` are the sources without their pages.

    `memory` has the pages that were looked at.
    """

    state: State
    listed: Sources
    memory: Memory

    def page(self, store: ContentStore, path: str) -> SitePage:
        """The page at a content path as it is now. Raises Unfinished when it cannot be read."""
        guessed = self.state.pages[path]
        file = self.listed.scan.pages[self.state.files[guessed.file]]
        page = self.memory.read(store, file).page
        if page is None:
            raise Unfinished
        config = self.listed.config
        page = titled(placed(page, config), variable_scopes(config, self.listed.scan.categories))
        return replace(page, left_out=guessed.left_out, in_sidebar=guessed.in_sidebar)


def read_outline(
    store: ContentStore, options: Options, templates: Templates | None, least: int = LARGE
) -> Outline | None:
    """The outline of the site in `store`; None for one that is quickly read, or whose addresses are in texts.

    Raises as `read_state` does.
    """
    memory = Memory(store.root)
    listed = listed_sources(store, plan=options.plan, memory=memory)
    if len(listed.scan.pages) < least or has_slugs(listed.config):
        return None
    read = tuple(Read(_guessed(file), ()) for file in listed.scan.pages)
    state = state_of(store, options, replace(listed, read=read), templates, is_read=False)
    return Outline(state, listed, memory)


def _guessed(file: PageFile) -> SitePage:
    title = readable(file.path)
    return SitePage(file.path, file.file, file.format, _UNREAD, None, title, title, file.twin_file or "")


class WholeSite(Struct, frozen=True):
    """The state of a site of which all is read, and the memory of its pages."""

    state: State
    memory: Memory


class SiteReading:
    """Reads the site of an outline in a thread of its own, which calls `wake` at its end."""

    def __init__(
        self,
        root: Path,
        options: Options,
        listed: Sources,
        templates: Templates | None,
        wake: Callable[[], None],
    ) -> None:
        self._root, self._options, self._listed, self._templates = root, options, listed, templates
        self._wake = wake
        self._is_wanted = True
        self._found: WholeSite | Exception | None = None
        self._thread = Thread(target=self._run, name="twinpress-read", daemon=True)
        self._thread.start()

    @property
    def has_ended(self) -> bool:
        """True if the site is read, or cannot be."""
        return self._found is not None

    def result(self) -> WholeSite:
        """The site, once it is read. Raises what has kept it from being read."""
        self._thread.join()
        if isinstance(self._found, WholeSite):
            return self._found
        raise self._found or Unfinished

    def stop(self) -> None:
        """End it, and wait for its end."""
        self._is_wanted = False
        self._thread.join()

    def _run(self) -> None:
        try:
            self._found = self._read()
        except Exception as error:  # noqa: BLE001 - for the thread that asks for the site
            self._found = error
        self._wake()

    def _read(self) -> WholeSite:
        # A cache of this thread's own, as the file can be asked by the thread alone that has opened it.
        with closing(Cache(self._root, self._options.cache)) as cache, ContentStore(self._root) as store:
            readers = PageReaders(processors(), lambda: self._is_wanted)
            read = with_pages(store, self._listed, cache.memory, readers)
            return WholeSite(state_of(store, self._options, read, self._templates), cache.memory)


class Beginning:
    """A large site from its outline to the state in which all is read; `wake` is called when it has been."""

    def __init__(
        self, outline: Outline, options: Options, templates: Templates | None, wake: Callable[[], None]
    ) -> None:
        self.outline = outline
        self._read = partial(SiteReading, outline.memory.root, options, outline.listed, templates, wake)
        self._reading: SiteReading | None = None
        self._is_due = True
        self._missed: frozenset[str] | None = frozenset()

    @property
    def has_read(self) -> bool:
        """True if all is read by now, or cannot be: then `result` is to be asked for."""
        return self._reading is not None and self._reading.has_ended

    def read(self) -> bool:
        """Begin to read all pages, unless that goes on, or cannot be done before something changes."""
        if self._is_due:
            self._is_due = False
            self._reading = self._read()
            return True
        return False

    def miss(self, changed: Collection[str]) -> None:
        """Note what changes meanwhile; nothing known of that is everything."""
        known = self._missed is not None and bool(changed)
        self._missed = frozenset(changed).union(self._missed or ()) if known else None
        self._is_due = self._reading is None

    def result(self) -> tuple[WholeSite, frozenset[str] | None]:
        """The whole site, and what has changed meanwhile, None for what is not known.

        Raises what has kept it from being read; then it may be read again.
        """
        assert self._reading is not None  # noqa: S101 - `has_read` has told so
        reading, self._reading = self._reading, None
        return reading.result(), self._missed

    def stop(self) -> None:
        """End the reading, if that goes on."""
        if self._reading is not None:
            self._reading.stop()
