"""From a page's file to the page, and a memory of those whose files are as they were."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import force_setattr

from builder import config, frontmatter
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.errors import PageNotFound, StorageError, TwinpressError
from builder.frontmatter import Document, KeptDocument, TextMark, text_mark
from builder.paths import Format
from builder.site.pages import SitePage, readable, with_digest
from builder.store import FRESH, FileState, KnownCategory, PageFile, Source, state_of
from builder.store.source_reader import SourceReader

LARGE = 5_000
"""Pages; of more than these the texts are held packed, and what is made of them is taken from the cache."""


class Read(Struct, frozen=True):
    """A page, or None when it cannot be read, and what was found while reading it."""

    page: SitePage | None
    diagnostics: tuple[Diagnostic, ...]


def read(store: SourceReader, file: PageFile, before: SitePage | None = None) -> Read:
    """Read one page; `before` is what it was until now, if that is known."""
    try:
        return of_source(store.read(file.path), file.twin_file or "", before)
    except TwinpressError as error:
        if isinstance(error, PageNotFound) and _is_gone(store, file):
            return Read(None, ())
        return Read(None, (Diagnostic(file.file, 0, 0, "page-unreadable", error.message, error.hint),))


def _is_gone(store: SourceReader, file: PageFile) -> bool:
    """Return whether the page was deleted since it was listed, so that there is nothing to tell of it."""
    try:
        store.open_file(file.file).close()
    except FileNotFoundError:
        return True
    except TwinpressError:
        return False  # something stands there
    return False


def of_source(source: Source, twin_file: str, before: SitePage | None = None) -> Read:
    """The page that a source is."""
    known = before.document if before is not None and before.file == source.file else None
    document = frontmatter.split(source.text, source.file, known)
    title = document.meta.title or heading(document.body, source.format) or readable(source.path)
    twin = _shown(source.twin) if source.twin is not None else None
    page = SitePage(
        path=source.path,
        file=source.file,
        format=source.format,
        document=document,
        twin=twin,
        title=title,
        label=document.meta.sidebar_label or title,
        twin_file=twin_file,
    )
    return Read(with_digest(page), (*source.diagnostics, *document.diagnostics))


def heading(body: str, format: Format, extras: frozenset[str] = frozenset()) -> str | None:
    """The first heading of a page's text on a site with these extras: its title when nothing else is."""
    # What parses pages takes long to load, and most builds read few.
    from builder.markdown.first_heading import first_heading  # noqa: PLC0415

    return first_heading(_shown(body), format, extras)


def _shown(text: str) -> str:
    """A source as it is shown: no text may have the character NUL."""
    return text.replace("\0", "\ufffd")


class Shelf(Protocol):
    """Holds the texts of pages in a file."""

    def text(self, path: str, digest: bytes) -> str | None:
        """Return the text of a page that has this digest, None when it is not there."""

    def keep_text(self, path: str, document: Document) -> TextMark | None:
        """Keep the text of a page; None when that cannot be."""


Remembered = tuple[tuple[FileState, ...], Read]
"""What was read, and the states in which the page's files were then."""
Configured = tuple[bytes, SiteConfig, tuple[Diagnostic, ...]]
"""A digest of `site.yml`, what it says and what is wrong with it."""


class Memory(Struct, eq=False):
    """The files read of the site in the folder `root`, for those who read it again and again.

    `known` is by content path. With `packs` the texts of pages are not held as they are: they are put on the
    `shelf`, or packed where there is none. What is gone from the shelf is read from the `store`.
    """

    root: Path
    known: dict[str, Remembered] = field(default_factory=dict)
    config: Configured | None = None
    categories: dict[str, KnownCategory] = field(default_factory=dict)
    packs: bool = False
    shelf: Shelf | None = None
    store: SourceReader | None = None

    def configured(self, data: bytes, sidebar: bytes | None = None) -> Configured:
        """Return the settings of `site.yml`."""
        key = digest(data) if sidebar is None else digest(data, sidebar)
        if self.config is None or self.config[0] != key:
            self.config = key, *config.load(data, sidebar=sidebar)
        return self.config

    def recall(self, file: PageFile) -> Read | None:
        """The page, when it is known as it is now."""
        return self._known(file, self._states(file)) if file.path in self.known else None

    def read(self, store: SourceReader, file: PageFile) -> Read:
        """The page as it is now."""
        before = self._states(file)
        found = self._known(file, before)
        if found is not None:
            return found
        earlier = self.known.get(file.path)
        found = self.packed(read(store, file, earlier[1].page if earlier else None))
        if (
            before
            and before == self._states(file)
            and time.time_ns() - max(state.touched for state in before) > FRESH
        ):
            self.known[file.path] = before, found
        else:
            self.known.pop(file.path, None)
        return found

    def expect(self, store: SourceReader, pages: int) -> None:
        """Prepare for a site of so many pages, which `store` has."""
        self.packs, self.store = pages > LARGE, store

    def packed(self, found: Read) -> Read:
        """Return what was read, as it is held here."""
        if self.packs and found.page is not None:
            self._put_away(found.page)
        return found

    def _put_away(self, page: SitePage) -> None:
        document, shelf = page.document, self.shelf
        if isinstance(document, KeptDocument):
            return
        mark = shelf.keep_text(page.path, document) if shelf else None
        if mark:
            self.shelve(page, mark)
        else:
            document.pack()

    def shelve(self, page: SitePage, mark: TextMark) -> None:
        """Let go of a page's text, which is on the shelf."""
        force_setattr(page, "document", KeptDocument.of(page.document, self, page.path, mark))

    def text(self, path: str, digest: bytes) -> str:
        """Return a text from the shelf; one that is gone from there is read once more.

        Raises StorageError when its file says something else by now.
        """
        found = self.shelf.text(path, digest) if self.shelf else None
        return self._read_again(path, digest) if found is None else found

    def _read_again(self, path: str, digest: bytes) -> str:
        assert self.store is not None  # noqa: S101 - pages have been read
        with suppress(PageNotFound):
            source = self.store.read(path)
            found = frontmatter.split(source.text, source.file).text
            if text_mark(found).digest == digest:
                return found
        hint = "build again; let one build of a site end before the next one begins"
        raise StorageError("the page has changed since it was read", path=path, hint=hint)

    def keep(self, paths: frozenset[str]) -> None:
        """Forget all pages but those at `paths`."""
        for path in self.known.keys() - paths:
            del self.known[path]

    def _known(self, file: PageFile, states: tuple[FileState, ...]) -> Read | None:
        known = self.known.get(file.path)
        return known[1] if states and known is not None and known[0] == states else None

    def _states(self, file: PageFile) -> tuple[FileState, ...]:
        """Return the states of the page's files; none when one is not there."""
        names = (file.file, file.twin_file) if file.twin_file else (file.file,)
        try:
            # A Path would take several times as long, and there are very many of them.
            return tuple(state_of(os.lstat(f"{self.root}/{name}")) for name in names)
        except OSError:
            return ()
