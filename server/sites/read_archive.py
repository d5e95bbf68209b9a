"""Import a site's folder from an archive that a stranger has uploaded.

The archive is gone through twice: first to find the site in it and to refuse what must be refused, then to
write the files. What it says of itself is not relied on; all is counted again while it is unpacked.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct, field

from builder import paths
from builder.errors import InvalidPath
from builder.store.walk import nfc
from server.sites.active_files import JUDGED, is_active, is_judged
from server.sites.archive_entry import ArchiveEntry, Entries
from server.sites.archive_limits import ArchiveLimits, ArchiveRefused, shown
from server.sites.archive_rules import SETTINGS, SitePlace, find_site, is_page, junk, no_part
from server.sites.entry_paths import Parts, TakenPaths, check_kept, parts_of
from server.sites.new_folder import NewFolder, new_folder
from server.sites.omissions import Omission, Omissions
from server.sites.tar_entries import BLOCK, tar_entries
from server.sites.unpacked_stream import DECODERS, UnpackedStream
from server.sites.zip_entries import zip_entries

LIMITS = ArchiveLimits()
_NAMED = 5
"""Pages that a note names."""
_BRANCHES = ("-main", "-master")


class ImportReport(Struct, frozen=True):
    """An import that is done. `files` and `bytes` are those of the site, pages included.

    `left_out` names files and folders that were left out, 100 at most; `left_out_files` counts all files of
    them. `notes` are sentences for the owner. All texts can be printed.
    """

    pages: int
    files: int
    bytes: int
    left_out: tuple[Omission, ...]
    left_out_files: int
    notes: tuple[str, ...]


def import_archive(archive: Path | BinaryIO, folder: Path, limits: ArchiveLimits = LIMITS) -> ImportReport:
    """Unpack a site from a zip or tar into a folder that is not there yet, or is empty.

    A file must be open for reading bytes at any place. Raises ArchiveRefused, and StorageError or
    PathConflict when the folder cannot be written; then there is no folder.
    """
    if isinstance(archive, Path):
        with archive.open("rb") as file:
            return import_archive(file, folder, limits)
    entries = _opened(archive, limits)
    place = find_site(entries())
    with new_folder(folder) as target:
        importing = _Import(target, limits, TakenPaths(limits))
        for entry in entries():
            importing.take(entry, place)
        importing.finish(place)
    return importing.report()


class _Import(Struct):
    """An import so far. `size` are bytes of the site, `unpacked` also those that were read and left out."""

    target: NewFolder
    limits: ArchiveLimits
    taken: TakenPaths
    pages: int = 0
    files: int = 0
    size: int = 0
    unpacked: int = 0
    left_out: Omissions = field(default_factory=Omissions)
    notes: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)

    def take(self, entry: ArchiveEntry, place: SitePlace) -> None:
        """Write a file, or leave it out with a reason."""
        parts = parts_of(entry.name)
        if not parts and entry.kind != "folder":
            raise ArchiveRefused(f"there is a {entry.kind} without a name", hint="pack it again")
        inner = place.inside(parts) if parts else None
        if entry.kind == "folder":
            self._folder(inner)
            return
        if inner is None:
            self.left_out.add(*(junk(parts) or ("/".join(parts), "it is outside of the site's folder")))
            return
        line = junk(inner) or no_part(inner) or _kind_line(entry, inner)
        if line is not None:
            self.left_out.add(*line)
        else:
            self._file(entry, _settings_named(inner, place))

    def _folder(self, inner: Parts | None) -> None:
        """Have a folder's name taken; it is made with the first file in it."""
        if inner and not junk(inner) and not no_part((*inner, "file")):
            check_kept(inner)
            self.taken.add_folder(inner)

    def _file(self, entry: ArchiveEntry, parts: Parts) -> None:
        check_kept(parts)
        path = "/".join(parts)
        fault = next(filter(None, map(paths.file_fault, parts)), "")
        if fault:
            self.left_out.add(path, f"{fault}, so it would not be published")
            return
        self.taken.add_file(parts)
        self._check_room(entry, parts)
        self._write(entry, parts, path)

    def _write(self, entry: ArchiveEntry, parts: Parts, path: str) -> None:
        chunks = self._counted(entry, path)
        if is_judged(path):
            data = _start(chunks, JUDGED + 1)
            chunks = iter([data])
        else:
            data = b""
        why = is_active(path, data)
        if why:
            self.left_out.add(path, why)
            return
        size = self.target.write(parts, chunks)
        self.files += 1
        self.size += size
        if is_page(parts):
            self.pages += 1
            self._check_name(path)

    def _check_room(self, entry: ArchiveEntry, parts: Parts) -> None:
        """Refuse a file too many, and one that says itself that it is too large."""
        path = "/".join(parts)
        if self.files >= self.limits.files:
            raise ArchiveRefused(f"the site has more than {self.limits.files:,} files", path=shown(path))
        if self.pages >= self.limits.pages and is_page(parts):
            raise ArchiveRefused(f"the site has more than {self.limits.pages:,} pages", path=shown(path))
        if entry.size > self.limits.file_bytes:
            raise self._too_large(path)

    def _counted(self, entry: ArchiveEntry, path: str) -> Iterator[bytes]:
        """The bytes of a file, as long as neither it nor the site has too many."""
        read = 0
        for chunk in entry.chunks():
            read += len(chunk)
            self.unpacked += len(chunk)
            if read > self.limits.file_bytes:
                raise self._too_large(path)
            if self.size + read > self.limits.total_bytes:
                raise ArchiveRefused(f"the site has more than {self.limits.total_bytes:,} bytes")
            if self.unpacked > self.limits.unpacked_bytes:
                message = f"more than {self.limits.unpacked_bytes:,} bytes, with those that are left out"
                raise ArchiveRefused(message)
            yield chunk

    def _too_large(self, path: str) -> ArchiveRefused:
        message = f"it has more than {self.limits.file_bytes:,} bytes, which no file of a site may have"
        hint = "put it where downloads are kept, and link to it there"
        return ArchiveRefused(message, path=shown(path), hint=hint)

    def _check_name(self, path: str) -> None:
        """Note a page whose name is not that of a page: it lies there, and is not published."""
        try:
            paths.parse(nfc(path.rpartition(".")[0]))
        except InvalidPath as error:
            self.misnamed.append(f"`{shown(path)}` ({error.message})")

    def finish(self, place: SitePlace) -> None:
        """Make settings for a site without, and say what its owner should know."""
        if not place.settings:
            data = _settings(place.folder).encode()
            self.size += self.target.write((SETTINGS[0],), [data])
            self.files += 1
            self.notes.append(
                f"there was no `{SETTINGS[0]}`, so one was created: give the site its title there"
            )
        elif place.settings != SETTINGS[0]:
            self.notes.append(f"`{place.settings}` is called `{SETTINGS[0]}` now")
        if self.misnamed:
            named, more = ", ".join(self.misnamed[:_NAMED]), len(self.misnamed) - _NAMED
            others = f", and {more:,} more" if more > 0 else ""
            self.notes.append(f"not shown before they are renamed: {named}{others}")
        if not self.pages:
            self.notes.append("there is no page in `docs/` or `pages/`")

    def report(self) -> ImportReport:
        """The report of the whole import."""
        left_out = self.left_out
        return ImportReport(
            self.pages, self.files, self.size, left_out.listed(), left_out.count, tuple(self.notes)
        )


def _kind_line(entry: ArchiveEntry, parts: Parts) -> tuple[str, str] | None:
    """The line for what is no file; links are common, and no harm as long as nobody follows them."""
    path = "/".join(parts)
    if entry.kind == "file":
        return None
    if entry.kind == "device":
        raise ArchiveRefused("it is a device or a named pipe", path=shown(path), hint="leave it out")
    return path, f"a {entry.kind}, which is not followed"


def _settings_named(parts: Parts, place: SitePlace) -> Parts:
    """The parts of a file; settings of the other name get the right one where they are the only ones."""
    return (SETTINGS[0],) if parts == (place.settings,) else parts


def _start(chunks: Iterator[bytes], most: int) -> bytes:
    """All bytes of a small file, and enough of a large one to see that it is large."""
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) >= most:
            break
    return bytes(data)


def _settings(folder: str) -> str:
    """Settings with the folder's name as the title; the quotes of JSON are YAML's too."""
    name = folder
    for branch in _BRANCHES:
        name = name.removesuffix(branch)
    name = " ".join(name.replace("-", " ").replace("_", " ").split())
    title = name[0].upper() + name[1:] if name and name.isprintable() else "My documentation"
    return f"title: {json.dumps(title, ensure_ascii=False)}\n"


_ZIP = (b"PK\3\4", b"PK\5\6")
_KINDS = "upload a .zip, .tar, .tar.gz, .tar.bz2 or .tar.xz"


def _opened(file: BinaryIO, limits: ArchiveLimits) -> Entries:
    """Go through the archive in a file that can be read from any place. Raises ArchiveRefused."""
    file.seek(0)
    start = file.read(BLOCK)
    if start.startswith(_ZIP):
        entries = zip_entries(file, limits)
    elif start.startswith(tuple(DECODERS)) or _is_header(start):
        entries = _tar(file, limits)
    else:
        raise ArchiveRefused("the file is no archive that can be read", hint=_KINDS)
    return lambda: _bounded(entries(), limits)


def _is_header(start: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _tar(file: BinaryIO, limits: ArchiveLimits) -> Entries:
    def entries() -> Iterator[ArchiveEntry]:
        file.seek(0)
        return tar_entries(UnpackedStream(file, limits))

    return entries


def _bounded(entries: Iterator[ArchiveEntry], limits: ArchiveLimits) -> Iterator[ArchiveEntry]:
    for number, entry in enumerate(entries):
        if number >= limits.entries:
            message = f"the archive has more than {limits.entries:,} entries"
            raise ArchiveRefused(message, hint="leave out what is no part of the site")
        yield entry
