"""The search of a large site: its files are kept on disk, and those that a save changes are made anew.

The index is that of builds, `builder/search/index.py` tells how it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock

from msgspec import Struct

from builder import search
from builder.compression import decompressed
from builder.plan.site_files import search_file
from builder.preview.index_process import MadeIndex, Order, files_of, small
from builder.preview.packed_content import PackedContent, packed_part
from builder.preview.page_spool import InMemory, Spool, Spooled
from builder.preview.page_texts import PageText
from builder.render import RenderedPage
from builder.search import Change, File, Index, Part
from builder.search.index import IndexedPage

MOST = 1 << 30
"""Bytes of a file."""

Files = Mapping[str, bytes]
_Places = dict[str, Spooled | InMemory]


class SpooledFiles(Mapping[str, bytes]):
    """Files by output path, compressed on disk."""

    def __init__(self, places: _Places) -> None:
        self.places = places

    def __getitem__(self, path: str) -> bytes:
        """The file at an output path."""
        return decompressed(self.places[path].read(), MOST)

    def __contains__(self, path: object) -> bool:
        """Return whether there is a file, without reading it."""
        return path in self.places

    def __iter__(self) -> Iterator[str]:
        """Each output path."""
        return iter(self.places)

    def __len__(self) -> int:
        """Count the files."""
        return len(self.places)


class SearchParts(Struct, frozen=True):
    """The parts of all pages by content path, in their order: of authors' pages as they are kept."""

    parts: Mapping[str, PackedContent | Part]

    def keys(self) -> dict[str, bytes]:
        """For each part what tells it from any other."""
        return {path: _key(part) for path, part in self.parts.items()}

    def part(self, path: str) -> Part:
        """The part of a page."""
        found = self.parts[path]
        part = found.search() if isinstance(found, PackedContent) else found
        assert part is not None  # noqa: S101 - pages without one are left out
        return part

    def rows(self) -> Iterator[bytes]:
        """All parts, compressed."""
        for part in self.parts.values():
            yield part.search_row() if isinstance(part, PackedContent) else packed_part(part)


def page_parts(
    texts: Mapping[str, PageText], generated: Mapping[str, Callable[[], RenderedPage]]
) -> SearchParts:
    """The parts of the authors' pages and of those that are generated, but for pages without one."""
    parts = {path: text.packed or text.search for path, text in texts.items()}
    parts |= {path: make().content.search for path, make in generated.items()}
    return SearchParts({path: part for path, part in parts.items() if part and _key(part)})


class _Known(Struct, frozen=True):
    """An index, its files, and the parts that it was made of."""

    index: Index
    files: SpooledFiles
    parts: SearchParts


class SiteSearch:
    """The files of the search, of one state after the other; from any thread."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._lock = Lock()
        self._known: _Known | None = None

    def files(self, parts: Callable[[], SearchParts], script: str) -> Files:
        """The files by output path; `script` cuts excerpts from twins."""
        with self._lock:
            found = parts()
            self._known = self._changed(found, script) or self._anew(found, script)
            return self._known.files

    def _changed(self, parts: SearchParts, script: str) -> _Known | None:
        """The index with what a few saves have changed; None where more has."""
        before = self._known
        if before is None or before.index.script != script:
            return None
        keys = parts.keys()
        changes = dict(_changes(before, parts, keys))
        old = before.files

        def load(name: str) -> bytes | None:
            return old.get(search_file(name))

        found = search.changed(before.index, keys, changes, load, parts.part)
        if found is None:
            return None
        staying = {search_file(name): old.places[search_file(name)] for name in found.staying}
        return _Known(found.index, SpooledFiles(staying | self._spooled(small(found.files))), parts)

    def _anew(self, parts: SearchParts, script: str) -> _Known:
        making = files_of(Order(len(parts.parts), script), parts.rows())
        places: _Places = {}
        while True:
            try:
                places |= self._spooled([next(making)])
            except StopIteration as end:
                return _Known(_index(end.value, parts.keys(), script), SpooledFiles(places), parts)

    def _spooled(self, files: Iterable[File]) -> _Places:
        return {search_file(name): self._spool.add(data) for name, data in files}


def _changes(before: _Known, parts: SearchParts, keys: Mapping[str, bytes]) -> Iterator[tuple[str, Change]]:
    """The part of each page that has changed, as the index has it and as it is now."""
    changed = [page for page in before.index.pages if keys.get(page.path, page.key) != page.key]
    if len(changed) <= search.MOST_CHANGED:
        for page in changed:
            yield page.path, (before.parts.part(page.path), parts.part(page.path))


def _index(made: MadeIndex, keys: Mapping[str, bytes], script: str) -> Index:
    counted = zip(keys.items(), made.counts, strict=True)
    pages = tuple(IndexedPage(path, key, count) for (path, key), count in counted)
    return Index(pages, made.docs, made.twins, made.arranged, made.used, script)


def _key(part: PackedContent | Part) -> bytes:
    if isinstance(part, PackedContent):
        return part.search_key
    return part.key
