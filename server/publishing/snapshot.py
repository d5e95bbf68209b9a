"""A mirror of a site's sources, made while nobody changes them: what is built from it is of one moment.

Only what has changed since the last time is copied. All else stays as it is, also in the eyes of the builder,
whose cache knows files by their inodes and times.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from builder.output import sparse_copy
from builder.site import CONFIG_FILE
from builder.store import ContentStore, FileState, failures, state_of, walk
from builder.store.names import WELL_KNOWN, is_hidden
from builder.store.scan import ROOTS
from builder.store.walk import Blocked

SITE = "site"
_RECORD = "mirror.msgpack"
_States = dict[str, FileState]
_DECODER = msgspec.msgpack.Decoder(_States)


class SiteMirror(Struct, frozen=True):
    """The folder with the mirror, its number of files, and how many of them had changed."""

    folder: Path
    files: int
    changed: int


def take_snapshot(store: ContentStore, work: Path) -> SiteMirror:
    """Bring the mirror in the folder `work` up to date with the site in `store`.

    Raises StorageBusy and StorageError.
    """
    folder, record = work / SITE, work / _RECORD
    with store.still() as root, failures.writing(str(folder)):
        folder.mkdir(0o700, parents=True, exist_ok=True)
        before = _known(record, folder)
        record.unlink(missing_ok=True)  # nothing is known of a mirror that is copied by half
        now = dict(_sources(root))
        changed = [path for path, state in now.items() if before.get(path) != state]
        for path in before.keys() - now.keys():
            _remove(folder, path)
        for path in changed:
            _copy(root, path, folder)
        record.write_bytes(msgspec.msgpack.encode(now))
    return SiteMirror(folder, len(now), len(changed))


def _known(record: Path, folder: Path) -> Mapping[str, FileState]:
    """Return the states of the files as they were copied; where none are known, nothing of it stays."""
    try:
        return _DECODER.decode(record.read_bytes())
    except (FileNotFoundError, msgspec.DecodeError):
        for name in (CONFIG_FILE, *ROOTS):
            shutil.rmtree(folder / name, ignore_errors=True)
            with suppress(FileNotFoundError, IsADirectoryError):
                (folder / name).unlink()
        return {}


def _sources(root: int) -> Iterator[tuple[str, FileState]]:
    """Yield all that a build reads, by its path in the site; links are none of it."""
    found = walk.look(root, CONFIG_FILE)
    if found is not None and stat.S_ISREG(found.st_mode):
        yield CONFIG_FILE, state_of(found)
    for name in ROOTS:
        with suppress(FileNotFoundError, Blocked), walk.folder(root, (name,)) as inner:
            yield from _below(inner, name)


def _below(folder: int, place: str) -> Iterator[tuple[str, FileState]]:
    for name in sorted(os.listdir(folder)):
        about = walk.look(folder, name)
        if about is None or (is_hidden(name) and name != WELL_KNOWN):
            continue
        path = f"{place}/{name}"
        if stat.S_ISREG(about.st_mode):
            yield path, state_of(about)
        elif stat.S_ISDIR(about.st_mode):
            inner = walk.open_folder(folder, name)
            try:
                yield from _below(inner, path)
            finally:
                os.close(inner)


def _copy(root: int, path: str, target: Path) -> None:
    """Copy a file so that it has another inode than the one before."""
    *folders, name = path.split("/")
    place = target / path
    if place.is_dir():
        shutil.rmtree(place)
    with suppress(FileExistsError):
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
    with walk.folder(root, folders) as parent:
        descriptor, _ = walk.open_file(parent, name)
    beside = target / ".new"
    with os.fdopen(descriptor, "rb") as source, beside.open("wb") as copy:
        sparse_copy.copy(source.fileno(), copy.fileno())
    beside.rename(place)


def _remove(folder: Path, path: str) -> None:
    """Remove a file, and the folders that are empty by it."""
    place = folder / path
    place.unlink(missing_ok=True)
    with suppress(OSError):  # it is not empty
        for above in place.parents:
            if above == folder:
                break
            above.rmdir()
