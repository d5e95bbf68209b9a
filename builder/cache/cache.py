"""The cache of one build: what an earlier one has kept and is still right, and what this one keeps."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from builder.cache import entries
from builder.cache.cache_file import AT_ONCE, Use
from builder.cache.checksum import Damaged
from builder.cache.database import NAME, Database
from builder.cache.entries import (
    CONFIG,
    FACTS,
    SEARCH,
    SOURCE,
    TEXT,
    Facts,
    KeptConfig,
    KeptSource,
    content_of,
    known_of,
)
from builder.cache.fingerprint import fingerprint
from builder.cache.site_rows import SiteRows
from builder.code.rendered_fence import Fence
from builder.diagrams import Diagram
from builder.digests import digest
from builder.frontmatter import (
    Document,
    KeptDocument,
    TextMark,
    body_bytes,
    body_of,
    text_mark,
)
from builder.output import written_files
from builder.output.written_files import WrittenFiles
from builder.render import KNOWN, CachedPage, KnownPage, PageContent
from builder.search import Part as SearchPart
from builder.site import CONFIG_FILE, Memory, Read
from builder.store import FileState

if TYPE_CHECKING:
    from builder.cache.packs import SharedPage
    from builder.cache.shared_cache import BothKeys, Pages, SharedCache


T = TypeVar("T")


class EarlierPage(NamedTuple):
    """A page of an earlier build: its source key, the digest of its answers, its part in the search."""

    source: bytes
    answers: bytes
    search: SearchPart | None


class Cache(SiteRows):
    """The cache of the site in `root`; without a file it is empty and stays so.

    `diagnostics` say what is wrong.
    """

    def __init__(self, root: Path, use: Use, shared: SharedCache | None = None) -> None:
        super().__init__(root, shared.file if shared else NAME, use)
        self.shared = shared

    @cached_property
    def memory(self) -> Memory:
        """The site's sources, as far as they are known."""
        config, sources = self._kept_sources
        found = Memory(self._root, {}, config.config, dict(config.categories), shelf=self)
        for path, kept in sources.items():
            if kept.read.page is not None and kept.text is not None:
                found.shelve(kept.read.page, kept.text)
                found.known[path] = kept.states, kept.read
        return found

    def text(self, path: str, digest: bytes) -> str | None:
        """Return the text of a page's source that has this digest, None when it is not there."""
        waiting = self._changes.texts.get(path)
        if waiting is not None and waiting[0] == digest:
            return body_of(waiting[1])

        def query(database: Database) -> str | None:
            data = database.text(path, digest)
            try:
                return None if data is None else body_of(data)
            except ValueError:
                raise Damaged from None

        return self._ask(query, None)

    def keep_text(self, path: str, document: Document) -> TextMark | None:
        """Keep the text of a page's source; None when that cannot be."""
        if not self.keeps:
            return None
        mark = text_mark(document.body)
        before = self._kept_sources[1].get(path)
        mark_before = before.text.digest if before and before.text else b""
        self._changes.texts[path] = mark.digest, body_bytes(document), mark_before
        if len(self._changes.texts) >= AT_ONCE:
            self._save()
        return mark

    def _forget(self) -> None:
        """Forget what was read of a file that is damaged."""
        self._pages = {}

    def fetch(self, keys: Mapping[str, bytes | None]) -> Iterator[tuple[str, SharedPage, Facts]]:
        """Take those of all pages of the site that are not kept under these keys from the shared cache."""
        if self.shared is None:
            return
        if not self.keeps:
            self.shared.tell(".twinpress/cache cannot be written, through which pages of a shared cache go")
            return
        wanted = {path: key for path, key in keys.items() if key and self._pages.get(path, (b"",))[0] != key}
        for path, page in self.shared.pages(keys, wanted):
            facts = FACTS.decode(page.content.facts)
            known = msgspec.msgpack.encode(known_of(facts))
            self._pages[path] = page.key, known
            self._keep(path, page.key, page.content, known)
            yield path, page, facts
        self._save()

    def send(self, paths: Iterable[str], keys: BothKeys, pages: Pages) -> None:
        """Send those pages of the site that are kept under these keys to the shared cache."""
        if self.shared is not None and self.keeps:
            self.shared.send(paths, keys, pages)

    def row(self, path: str, key: bytes) -> CachedPage | None:
        """Return the values of a page, if it is kept under this key."""

        def query(database: Database) -> CachedPage | None:
            facts, parts = database.facts(path, key), database.parts(path, key)
            return CachedPage(facts, *parts) if facts and parts else None

        return self._ask(query, None)

    def facts(self, path: str, key: bytes | None) -> Facts | None:
        """Return the facts of the page that has this key, or None."""
        row = self._pages.get(path)
        if key is None or row is None or row[0] != key:
            return None

        def query(database: Database) -> Facts | None:
            data = database.facts(path, key)
            return FACTS.decode(data) if data else None

        return self._ask(query, None)

    def known(self, path: str, key: bytes | None) -> KnownPage | None:
        """Return what every build needs of the page that has this key, or None."""
        row = self._pages.get(path)
        if row is None or row[0] != key:
            return None
        try:
            return KNOWN.decode(row[1])
        except msgspec.MsgspecError:
            return self._ask(lambda _: KNOWN.decode(row[1]), None)  # which is told

    def content(self, path: str, key: bytes, facts: Facts) -> PageContent | None:
        """The page that these facts are of; None when it is gone by now."""

        def query(database: Database) -> PageContent | None:
            parts = database.parts(path, key)
            return parts and content_of(
                facts, TEXT.decode(parts[0]), parts[1].decode(), SEARCH.decode(parts[2])
            )

        return self._ask(query, None)

    def told(self, path: str, key: bytes, facts: Facts) -> PageContent | None:
        """The page that these facts are of, without its HTML; None when it is gone by now."""

        def query(database: Database) -> PageContent | None:
            told = database.told(path, key)
            return told and content_of(facts, None, told[0].decode(), SEARCH.decode(told[1]))

        return self._ask(query, None)

    def code(self, path: str) -> tuple[Mapping[bytes, Fence], Mapping[bytes, Diagram]]:
        """The blocks of code and the diagrams that a page had, whatever it was, when this engine made it."""
        if path not in self._pages:
            return {}, {}
        data = self._ask(lambda database: database.body(path), None)
        text = self._ask(lambda _: TEXT.decode(data), None) if data else None
        return (text.code, text.diagrams) if text and text.engine == fingerprint() else ({}, {})

    def twins(self, wanted: Mapping[str, bytes]) -> dict[str, bytes]:
        """Of those pages with these keys that are there, the twins."""
        return self._column("twin", wanted, bytes)

    def searches(self, wanted: Mapping[str, bytes]) -> dict[str, SearchPart | None]:
        """Of those pages with these keys that are there, what they add to the search."""
        return self._column("search", wanted, SEARCH.decode)

    def twin(self, path: str, key: bytes) -> bytes | None:
        """The twin of a page, or None when it is not there under this key."""
        return self._value("twin", path, key, bytes)

    def search(self, path: str, key: bytes) -> tuple[SearchPart | None] | None:
        """Return the part of a page in the search, if it has one; None when nothing is under this key."""
        return self._value("search", path, key, lambda data: (SEARCH.decode(data),))

    def earlier(self, path: str) -> EarlierPage | None:
        """The page at a content path as it is kept, whatever its key."""
        row = self._pages.get(path)
        facts = self.facts(path, row[0]) if row else None
        kept = self.search(path, row[0]) if row else None
        return EarlierPage(row[0], facts.asked.answers, kept[0]) if row and facts and kept else None

    def keep(
        self, path: str, key: bytes | None, content: PageContent, packed: CachedPage | None = None
    ) -> bool:
        """Keep a page for the next build; `packed` is the same, when it is packed already.

        Returns False for a page that cannot be kept.
        """
        packed = (packed or entries.pack(content)) if key and self.keeps else None
        if not key or packed is None:
            return False
        self._keep(path, key, packed, msgspec.msgpack.encode(known_of(entries.facts_of(content))))
        return True

    def ledger(self, folder: Path) -> WrittenFiles:
        """Return the record of what an earlier build wrote into an output folder."""
        data = self._ask(lambda database: database.output(str(folder)), None)
        return self._ask(lambda _: written_files.decode(data), WrittenFiles()) if data else WrittenFiles()

    def keep_sources(self, pages: Iterable[str]) -> None:
        """Keep what is still to be kept of these pages; others are forgotten."""
        if not self.keeps:
            return
        known, sources = self._kept_sources
        self._changes.gone = {*sources, *self._pages}.difference(pages)
        for path, (states, read) in self.memory.known.items():
            before = sources.get(path)
            if before is None or before.read is not read:
                self._keep_read(path, states, read)
        config = KeptConfig(fingerprint(), self.memory.config, self.memory.categories)
        if config != known:
            self._keep_source(CONFIG_FILE, config)
        self._save()

    def keep_output(self, folder: Path | None, written: WrittenFiles) -> None:
        """Keep what lies in the output folder now, and the index; nothing of folders that are gone."""
        if not self.keeps:
            return
        if folder is not None:
            data = written.encode()
            self._changes.outputs[str(folder)], self.written = data, digest(data)
        known: list[str] = self._ask(Database.folders, [])
        self._changes.lost = {each for each in known if not os.path.isdir(each)}  # noqa: PTH112 - as it is kept
        self._save()

    def _value(
        self, name: Literal["twin", "search"], path: str, key: bytes, decode: Callable[[bytes], T]
    ) -> T | None:
        if self._changes.pages:
            self._save()  # of what is only to be kept, too

        def query(database: Database) -> T | None:
            data = database.value(name, path, key)
            return None if data is None else decode(data)

        return self._ask(query, None)

    def _column(
        self, name: Literal["twin", "search"], wanted: Mapping[str, bytes], decode: Callable[[bytes], T]
    ) -> dict[str, T]:
        def query(database: Database) -> dict[str, T]:
            rows = database.column(name)
            return {path: decode(data) for path, key, data in rows if wanted.get(path) == key}

        return self._ask(query, {}) if wanted else {}

    def _keep(self, path: str, key: bytes, page: CachedPage, known: bytes) -> None:
        self._changes.pages[path] = key, page, known
        if len(self._changes.pages) >= AT_ONCE:
            self._save()

    def _keep_read(self, path: str, states: tuple[FileState, ...], read: Read) -> None:
        """Keep a page that was read, and its text for itself, which few builds need of all pages."""
        page, mark = read.page, None
        if page is not None:
            document = page.document
            mark = document.mark if isinstance(document, KeptDocument) else self.keep_text(path, document)
            read = replace(read, page=replace(page, document=document.without_text()))
        self._keep_source(path, KeptSource(fingerprint(), states, read, mark))

    def _keep_source(self, path: str, kept: KeptSource | KeptConfig) -> None:
        try:
            self._changes.sources[path] = msgspec.msgpack.encode(kept)
        except (UnicodeEncodeError, OverflowError):
            self._changes.gone.add(path)  # such a page is read anew each time
        if len(self._changes.sources) >= AT_ONCE:
            self._save()

    @cached_property
    def _pages(self) -> dict[str, tuple[bytes, bytes]]:
        """The key of each page, and what every build needs of it."""
        return self._ask(Database.pages, {})

    @cached_property
    def _kept_sources(self) -> tuple[KeptConfig, dict[str, KeptSource]]:
        """Settings, and the pages' sources by path, as far as this engine has read them."""
        nothing = KeptConfig(b"", None, {})

        def query(database: Database) -> tuple[KeptConfig, dict[str, KeptSource]]:
            sources = database.sources()
            config = sources.pop(CONFIG_FILE, None)
            read = CONFIG.decode(config) if config else nothing
            kept = {path: SOURCE.decode(data) for path, data in sources.items()}
            own = {path: each for path, each in kept.items() if each.engine == fingerprint()}
            return read if read.engine == fingerprint() else nothing, own

        none: dict[str, KeptSource] = {}
        return self._ask(query, (nothing, none))
