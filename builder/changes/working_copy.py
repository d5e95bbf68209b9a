"""A working copy: the files of a site with changes that are not on disk yet.

Names of files are those on disk, from the site's folder. Nothing is written here: in the end, all changes
are one `Replacement`, which the store makes as a whole.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from builder import paths
from builder.category.record import FILES
from builder.changes.file_names import (
    FileNameTaken,
    NamedPage,
    name_key,
    named_page,
    parent_folders,
    site_names,
)
from builder.changes.layered_scan import with_changed_files
from builder.store import PAGE_LIMIT, ContentStore, KnownCategory, Replacement, Scan, Source
from builder.store.names import COMPONENTS, PLACES, is_content
from builder.store.page_reader import RawPage, as_source, not_found, sign
from builder.store.part_files import PartFile, PartFiles
from builder.unicode import normal


class WorkingCopy:
    """The site in `store`, whose files are those of `scan`, and what is changed of it.

    It reads as the store does (see `SourceReader`). Not safe to use from several threads.
    """

    def __init__(self, store: ContentStore, scan: Scan, parts: PartFiles) -> None:
        self.root: Path = store.root
        self.changed: dict[str, bytes | None] = {}
        self.authors: dict[str, int] = {}
        self._store, self._scan, self._parts = store, scan, parts
        self._before: dict[str, bytes | None] = {}
        self._watched: set[str] = set()
        self._names: dict[str, str] = {}
        for name in site_names(store.root):
            nfc = normal("NFC", name)
            self._names[nfc] = name if name == nfc else self._names.get(nfc, name)
        self._names_before = dict(self._names)
        self._folders: dict[str, str] | None = None

    # What there is, as it would be after the changes.

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files in the folders of pages and files, hidden ones too."""
        return tuple(self._names.values())

    def bytes_of(self, file: str) -> bytes | None:
        """Return the bytes of a file, None where there is none. Raises StorageError."""
        return self.changed[file] if file in self.changed else self.before(file)

    def before(self, file: str) -> bytes | None:
        """Return the bytes of a file as it is on disk. Raises StorageError."""
        if file not in self._before:
            try:
                self._before[file] = self._store.read_file(file)
            except FileNotFoundError:
                self._before[file] = None
        return self._before[file]

    def page(self, path: str) -> NamedPage:
        """Return the files of the page at a content path; it has none where there is no page."""
        return named_page(self._names, path)

    def source(self, path: str) -> Source | None:
        """Return the page at a content path, without its text if it is too large; None for none."""
        named = self.page(path)
        return self._source(named, self.bytes_of) if named.files else None

    def source_before(self, path: str) -> Source | None:
        """Return the same as it is on disk."""
        named = named_page(self._names_before, path)
        return self._source(named, self.before) if named.files else None

    def _source(self, named: NamedPage, read: Callable[[str], bytes | None]) -> Source:
        data = {file: read(file) or b"" for file in named.all}
        shown = {file: each if len(each) <= PAGE_LIMIT else None for file, each in data.items()}
        format, file = next(iter(named.files.items()))
        rest = [each for each in data if shown[each] is None or each not in {file, named.twin}]
        others = tuple(shown[each] or self._signed(each) for each in rest)
        page, twin = shown[file], shown[named.twin] if named.twin else None
        place, _, name = file.rpartition("/")
        twin_name = named.twin.rpartition("/")[2] or None
        bytes_ = page or b""
        raw = RawPage(
            named.path, place, format, name, bytes_, twin_name, twin, {}, 0, others, large=page is None
        )
        return as_source(raw, any_size=True)

    def _signed(self, file: str) -> bytes:
        try:
            return sign(file.rpartition("/")[2], (self.root / file).lstat())
        except OSError:
            return sign(file.rpartition("/")[2], None)

    def category_file(self, folder: str) -> str:
        """Return the category file of a folder that counts, "" where there is none."""
        found = (self._names.get(f"{folder}/{name}", "") for name in FILES)
        return next((file for file in found if file), "")

    def name_of(self, file: str) -> str:
        """Return the name on disk that a new file gets: that of its folder, as it is spelled, and its own."""
        if file in self._names or file.isascii():
            return self._names.get(file, file)
        if self._folders is None:
            pairs = self._names.items()
            self._folders = {nfc.rpartition("/")[0]: name.rpartition("/")[0] for nfc, name in pairs}
        folder, _, name = file.rpartition("/")
        return f"{self._folders.get(folder, folder)}/{name}"

    # Changes.

    def put(self, file: str, data: bytes | None, author: int) -> None:
        """Have a file with these bytes, or none, as the operation number `author` wants it."""
        self.before(file)
        self.changed[file] = data
        self.authors[file] = author
        nfc = normal("NFC", file)
        if data is None and self._names.get(nfc) == file:
            del self._names[nfc]
        elif data is None:
            return
        elif nfc.partition("/")[0] in _TOPS:
            self._names.setdefault(nfc, file)

    def watch(self, path: str) -> None:
        """Expect the page at a path to stay as it is on disk until the change is made."""
        for suffix in (*paths.PAGE_SUFFIXES, paths.TWIN_SUFFIX):
            file = self._names_before.get(path + suffix, path + suffix)
            self.before(file)
            self._watched.add(file)

    def replacement(self) -> Replacement:
        """Return all changes as one. Those that come to nothing are only expected to stay as they are."""
        wanted = {file: data for file, data in self.changed.items() if data != self._before[file]}
        expected = {file: self._before[file] for file in (*self.changed, *self._watched)}
        return Replacement(expected, wanted, drop=_emptied(wanted))

    def check_names(self) -> None:
        """Raise FileNameTaken where a new file is called as another one but for case or format."""
        new = [file for file, data in self.changed.items() if data is not None and self._before[file] is None]
        if not new:
            return
        taken: dict[str, set[str]] = {}
        folders: dict[str, set[str]] = {}
        for name in self._names:
            taken.setdefault(name_key(name), set()).add(name)
            for folder in parent_folders(name):
                folders.setdefault(paths.fold(folder), set()).add(folder)
        for file in new:
            self._check_name(file, taken, folders)

    def _check_name(self, file: str, taken: Mapping[str, set[str]], folders: Mapping[str, set[str]]) -> None:
        nfc = normal("NFC", file)
        others = taken[name_key(nfc)] - {nfc}
        for folder in parent_folders(nfc):
            others |= {each for each in folders[paths.fold(folder)] if each != folder}
        others |= folders.get(paths.fold(nfc), set())
        if others:
            raise FileNameTaken(f"`{min(others)}` is in its way", file, self.authors[file])

    # As the store reads (`SourceReader`).

    def has_pages(self) -> bool:
        """Return whether the site has a folder for pages."""
        return self._store.has_pages() or any(map(is_content, self.changed))

    def scan(self, known: dict[str, KnownCategory] | None = None) -> Scan:
        """Return the scan with the changes."""
        return with_changed_files(self._scan, self.changed, self._names)

    def read(self, path: str) -> Source:
        """Return the page at a content path. Raises PageNotFound, PageTooLarge, StorageError."""
        source = self.source(path)
        if source is None:
            raise not_found(path)
        return source

    def read_file(self, file: str) -> bytes:
        """Return the bytes of a file. Raises FileNotFoundError, StorageError."""
        data = self.bytes_of(file)
        if data is None:
            raise FileNotFoundError(file)
        return data

    def open_file(self, file: str) -> BinaryIO:
        """Return the same, opened for reading."""
        return io.BytesIO(self.read_file(file)) if file in self.changed else self._store.open_file(file)

    def parts(self) -> PartFiles:
        """Return the files that pages may include, as they would be after the changes."""
        return _ChangedParts(self._parts, self.changed)


_TOPS = frozenset({*PLACES, COMPONENTS})


class _ChangedParts(PartFiles):
    """Files that pages may include, some of them as they are in a working copy."""

    __slots__ = ("_changed",)

    def __init__(self, parts: PartFiles, changed: Mapping[str, bytes | None]) -> None:
        super().__init__(parts.root, parts.more)
        self._changed = changed

    def read(self, file: str) -> PartFile:
        """Return the file at a normalised way. Total."""
        data = self._changed.get(file, b"")
        if file not in self._changed or (data is not None and len(data) > PAGE_LIMIT):
            return super().read(file)
        if data is None:
            return PartFile("", "there is no such file", is_missing=True)
        text = data.decode(errors="replace").removeprefix("\ufeff").replace("\0", "\ufffd")
        return PartFile(text.replace("\r\n", "\n").replace("\r", "\n"))

    def names(self, folder: str) -> list[str]:
        """Return the names of the files in a folder, sorted."""
        inside = {
            file.rpartition("/")[2]: data for file, data in self._changed.items() if _is_in(file, folder)
        }
        there = {*super().names(folder), *inside}
        return sorted(name for name in there if inside.get(name, b"") is not None)


def _is_in(file: str, folder: str) -> bool:
    return file.rpartition("/")[0] == folder


def _emptied(wanted: Mapping[str, bytes | None]) -> tuple[str, ...]:
    """The folders that removals may leave empty, innermost first; the outermost ones stay."""
    removed = (file for file, data in wanted.items() if data is None)
    found = {folder for file in removed for folder in parent_folders(file)[1:]}
    return tuple(sorted(found, key=lambda folder: (-folder.count("/"), folder)))
