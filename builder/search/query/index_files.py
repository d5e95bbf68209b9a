"""The files of a search index, read as they are asked for; what was read last is kept."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Protocol, TypeVar

import msgspec
from msgspec import Struct

from builder.search.packing import order
from builder.search.postings import SLOT
from builder.search.query.misspelt import ListedWord, stems
from builder.search.shards import DIGEST, ENTRY, named
from builder.search.twin_sections import Section, twin_page

T = TypeVar("T")

Read = Callable[[str], bytes | None]
"""Gives a file of the site by its output path, None if it is not there. It may wait for the disk."""
FOLDER = "_tp/"
"""Where the files of the index lie."""
KEPT = 2_000_000
"""Bytes of files that are kept as they were read; they take some five times as much."""

Row = Sequence[int]
"""The number of sections that have a term; then the steps from one to the next, each with a weight."""
IndexedPage = tuple[str, str, tuple[Section, ...]]
"""Address without the base path, title, sections."""


class IndexMissing(Exception):
    """A file of the index is not there, or is none."""


class IndexManifest(Struct, frozen=True):
    """The file that knows all others."""

    n: int
    slots: list[int]
    per: int
    keys: list[str]
    terms: str
    words: str
    stop: list[str]
    docs: list[str] = []
    pages: str = ""
    texts: str = ""


class QueriedIndex(Protocol):
    """An index as queries see it: how many `sections` and `pages` it has, the page of each slot of sections,
    and the terms that say nothing."""

    sections: int
    pages: int
    page_of: list[int]
    stop: frozenset[str]

    def rows(self, terms: Sequence[str], start: str = "") -> Mapping[str, Row]:
        """Return the rows of these terms and of what begins with `start`, and maybe of others."""

    def words(self) -> Sequence[ListedWord]:
        """Return the words of titles, headings and descriptions, with their terms."""

    def page(self, number: int) -> IndexedPage:
        """Return a page by its number. Raises IndexMissing."""

    def first_section(self, page: int) -> int:
        """Return the number of a page's first section."""


class KeptFiles:
    """Files by name, decoded: those used last, up to so many bytes. Any thread may use them."""

    def __init__(self, read: Read, most: int) -> None:
        self._read = read
        self._left = most
        self._kept: OrderedDict[tuple[str, str], tuple[object, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, name: str, decode: Callable[[bytes], T], version: str = "") -> T:
        """Return a file as `decode` has it: each name always comes with the same. Raises IndexMissing.

        `version` tells apart what one name has had, where the name does not tell the content.
        """
        place = name, version
        with self._lock:
            if place in self._kept:
                self._kept.move_to_end(place)
                return self._kept[place][0]  # type: ignore[return-value]
        data = self._read(name)
        if data is None:
            raise IndexMissing(name)
        try:
            found = decode(data)
        except msgspec.MsgspecError as error:
            raise IndexMissing(f"{name}: {error}") from error
        self._keep(place, found, len(data))
        return found

    def _keep(self, place: tuple[str, str], found: object, size: int) -> None:
        with self._lock:
            if place in self._kept:
                return
            self._kept[place] = found, size
            self._left -= size
            while self._left < 0 and len(self._kept) > 1:
                self._left += self._kept.popitem(last=False)[1][1]


class IndexFiles:
    """One version of an index; `page_of` has the page of each slot of sections."""

    def __init__(self, entry: bytes, files: KeptFiles) -> None:
        self.entry = decode_entry(entry)
        self.stop = frozenset(self.entry.stop)
        self.sections, self.pages = self.entry.n, len(self.entry.slots)
        self._files = files
        self._keys = [order(key) for key in self.entry.keys]
        self.page_of = [page for page, slots in enumerate(self.entry.slots) for _ in range(slots)]
        self._begin = _begins(self.entry.slots)
        self._places = _places(self.entry.pages)

    def first_section(self, page: int) -> int:
        """Return the number of a page's first section."""
        return self._begin[page] * SLOT

    def rows(self, terms: Sequence[str], start: str = "") -> Mapping[str, Row]:
        """Return the rows of the files with these terms and, where some begin with `start`, with those."""
        return self._rows([*map(self._file_of, terms), *(self._files_from(start) if start else ())])

    def _rows(self, files: Iterable[int]) -> dict[str, Row]:
        found: dict[str, Row] = {}
        for file in dict.fromkeys(files):
            digest = self.entry.terms[file * DIGEST : file * DIGEST + DIGEST]
            if digest:
                found |= self._files.get(FOLDER + named(f"t{file}", digest), _ROWS.decode)
        return found

    def _file_of(self, term: str) -> int:
        """Return the number of the file that has a term if any does."""
        return len(self.entry.keys) if term in self.stop else self._place(term)

    def _files_from(self, start: str) -> Iterator[int]:
        """Return the first files with terms that begin so: a few letters do not ask for the whole index."""
        first, last = self._place(start), self._place(f"{start}\uffff")
        return (file for file in range(first, first + 5) if file <= last)

    def _place(self, term: str) -> int:
        return max(0, bisect_right(self._keys, order(term)) - 1)

    def words(self) -> Sequence[ListedWord]:
        """Return the words of titles, headings and descriptions, with their terms."""
        return self._files.get(FOLDER + named("w", self.entry.words), _words)

    def page(self, number: int) -> IndexedPage:
        """Return a page by its number. Raises IndexMissing."""
        file, at = divmod(number, self.entry.per)
        try:
            place = self._places[number] if self._places else f".{self.entry.docs[file]}"
            if place.startswith("."):
                return self._files.get(FOLDER + named(f"d{file}", place[1:]), _PAGES.decode)[at]
        except IndexError as error:
            raise IndexMissing(f"page {number}") from error
        title, sections = self._files.get(_twin(place), _twin_page, self.entry.texts)
        return place, title, sections


_ROWS = msgspec.json.Decoder(dict[str, list[int]])
_PAGES = msgspec.json.Decoder(list[IndexedPage])
_ENTRY = msgspec.json.Decoder(IndexManifest)
_WORDS = msgspec.json.Decoder(str)


def decode_entry(data: bytes) -> IndexManifest:
    """Return the entry of an index. Raises IndexMissing."""
    try:
        return _ENTRY.decode(data)
    except msgspec.MsgspecError as error:
        raise IndexMissing(f"{ENTRY}: {error}") from error


def _words(data: bytes) -> list[ListedWord]:
    return stems(_WORDS.decode(data).split(" "))


def _places(pages: str) -> list[str]:
    """Return the address of each page, or after a full stop the hash of its file, see `shards.pages_of`."""
    found, folder = [], ""
    for name in pages.split(" ") if pages else ():
        place = name if name[0] in "./" else f"{folder}{name}"
        folder = folder if name[0] == "." else place[: place.rindex("/") + 1]
        found.append(place)
    return found


def _twin(url: str) -> str:
    return f"{url[1:]}{'index' if url.endswith('/') else ''}.md"


def _twin_page(data: bytes) -> tuple[str, tuple[Section, ...]]:
    title, sections = twin_page(data.decode("utf-8", "replace"))
    return title, tuple(sections)


def _begins(slots: Sequence[int]) -> list[int]:
    found, at = [], 0
    for count in slots:
        found.append(at)
        at += count
    return found
