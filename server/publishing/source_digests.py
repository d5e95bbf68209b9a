"""The sources of a site by the digests of their bytes; what an earlier look has hashed is not read again."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from builder.plan.copied_files import LARGE
from builder.site import SETTINGS
from builder.store import FileState, failures, state_of, walk
from builder.store.names import WELL_KNOWN, is_hidden
from builder.store.scan import SOURCES
from builder.store.scan_findings import shown
from builder.store.walk import Blocked, TooLarge
from server.releases.release import Digest, ReleasedFile

_RECORD = "mirror.msgpack"


class HashedSource(Struct, frozen=True, array_like=True):
    """A source in the state in which it was hashed; the digest is empty for one too large to be published."""

    state: FileState
    digest: Digest


HashedSources = Mapping[str, HashedSource]
"""Sources by their paths in the site."""
_DECODER = msgspec.msgpack.Decoder(dict[str, HashedSource])


def read_record(work: Path) -> HashedSources | None:
    """Return the sources that the mirror in the folder `work` has; None where nobody knows."""
    try:
        return _DECODER.decode((work / _RECORD).read_bytes())
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def write_record(work: Path, sources: HashedSources) -> None:
    """Note the sources that the mirror has. Raises OSError."""
    beside = work / f".{_RECORD}"
    beside.write_bytes(msgspec.msgpack.encode(sources))
    beside.rename(work / _RECORD)


def forget_record(work: Path) -> None:
    """Have nothing known of the mirror. Raises OSError."""
    (work / _RECORD).unlink(missing_ok=True)


class SourceList(Struct, frozen=True):
    """All that a build reads, by its path in the site.

    `left_out` are files and folders whose names are not UTF-8, so that no address could name them: as people
    read them.
    """

    files: Mapping[str, FileState]
    left_out: tuple[str, ...]


class SourcesNow(Struct, frozen=True):
    """The sources of a site as they are now, and what is `left_out` of them."""

    files: HashedSources
    left_out: tuple[str, ...]


def sources_now(root: Path, work: Path) -> SourcesNow:
    """Look at the sources in the folder `root`, and hash those that the mirror does not have as they are.

    No lock is held: for those who only show what they find. Raises StorageError.
    """
    known, found = read_record(work) or {}, dict[str, HashedSource]()
    with failures.reading(str(root)):
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            listed = list_sources(folder)
            for path, state in listed.files.items():
                before = known.get(path)
                with suppress(FileNotFoundError, Blocked):  # it has gone meanwhile
                    found[path] = before if before and before.state == state else _hashed(folder, path)
        finally:
            os.close(folder)
    return SourcesNow(found, listed.left_out)


def list_sources(root: int) -> SourceList:
    """List all that a build reads; no links."""
    found = dict(_listed(root))
    files = {path: state for path, state in found.items() if state is not None}
    return SourceList(files, tuple(shown(path) for path, state in found.items() if state is None))


def _listed(root: int) -> Iterator[tuple[str, FileState | None]]:
    """Yield the path of each file, and its state, None where its name is no text."""
    for name in SETTINGS:
        found = walk.look(root, name)
        if found is not None and stat.S_ISREG(found.st_mode):
            yield name, state_of(found)
    for name in SOURCES:
        with suppress(FileNotFoundError, Blocked), walk.folder(root, (name,)) as inner:
            yield from _below(inner, name)


def digest_of(descriptor: int, size: int) -> Digest:
    """Return the digest of an open file; an empty one for a file that is too large to be published."""
    if size >= LARGE:
        return b""
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return hashlib.file_digest(file, "sha256").digest()


def released(sources: HashedSources) -> Mapping[str, ReleasedFile]:
    """Return the sources as a release names them, without what is too large."""
    return {path: ReleasedFile(each.digest, each.state.size) for path, each in sources.items() if each.digest}


def _hashed(root: int, path: str) -> HashedSource:
    *folders, name = path.split("/")
    with walk.folder(root, folders) as parent:
        descriptor, about = walk.open_file(parent, name)
    try:
        return HashedSource(state_of(about), digest_of(descriptor, about.st_size))
    finally:
        os.close(descriptor)


def source_bytes(root: int, path: str, most: int) -> bytes | None:
    """Return the bytes of a source in an open folder; None for what is no file, or has more than `most`.

    Raises StorageError.
    """
    *folders, name = path.split("/")
    with failures.reading(path):
        try:
            with walk.folder(root, folders) as parent:
                return walk.read_file(parent, name, most)[0]
        except (FileNotFoundError, Blocked, TooLarge):
            return None


def _is_text(name: str) -> bool:
    """Return whether a name is UTF-8: Python stands in for other bytes with halves of characters."""
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def _below(folder: int, place: str) -> Iterator[tuple[str, FileState | None]]:
    for name in sorted(os.listdir(folder)):
        about = walk.look(folder, name)
        if about is None or (is_hidden(name) and name != WELL_KNOWN):
            continue
        path = f"{place}/{name}"
        if not _is_text(name):
            yield path, None
        elif stat.S_ISREG(about.st_mode):
            yield path, state_of(about)
        elif stat.S_ISDIR(about.st_mode):
            inner = walk.open_folder(folder, name)
            try:
                yield from _below(inner, path)
            finally:
                os.close(inner)
