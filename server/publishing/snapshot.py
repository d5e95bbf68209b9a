"""A mirror of a site's sources, made while nobody changes them: what is built from it is of one moment.

Only what has changed since the last time is copied. All else stays as it is, also in the eyes of the builder,
whose cache knows files by their inodes and times.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from builder.output import sparse_copy
from builder.site import SETTINGS
from builder.store import ContentStore, FileState, failures, walk
from builder.store.scan import SOURCES
from server.publishing.source_digests import (
    HashedSource,
    HashedSources,
    digest_of,
    forget_record,
    list_sources,
    read_record,
    released,
    write_record,
)
from server.releases.release import Files

SITE = "site"


class SiteMirror(Struct, frozen=True):
    """The folder with the mirror, its number of files, and how many of them had changed.

    `sources` are the files as a release names them, without those that are too large to be published.
    `left_out` is what no address could name.
    """

    folder: Path
    files: int
    changed: int
    sources: Files
    left_out: tuple[str, ...] = ()


def take_snapshot(store: ContentStore, work: Path) -> SiteMirror:
    """Bring the mirror in the folder `work` up to date with the site in `store`.

    Raises StorageBusy and StorageError.
    """
    folder = work / SITE
    with store.still() as root, failures.writing(str(folder)):
        folder.mkdir(0o700, parents=True, exist_ok=True)
        before = _known(work, folder)
        forget_record(work)  # nothing is known of a mirror that is copied by half
        listed = list_sources(root)
        now = listed.files
        stay = {path: each for path, each in before.items() if now.get(path) == each.state}
        for path in before.keys() - now.keys():
            _remove(folder, path)
        for path in now.keys() - stay.keys():
            _copy(root, path, folder)
    with failures.writing(str(folder)):  # the site may change again: what follows is of the mirror alone
        sources = {path: stay.get(path) or _hashed(folder, path, state) for path, state in now.items()}
        write_record(work, sources)
    return SiteMirror(folder, len(now), len(now) - len(stay), released(sources), listed.left_out)


def _known(work: Path, folder: Path) -> HashedSources:
    """Return the files as they were copied; where none are known, nothing of the mirror stays."""
    known = read_record(work)
    if known is None:
        for name in (*SETTINGS, *SOURCES):
            shutil.rmtree(folder / name, ignore_errors=True)
            with suppress(FileNotFoundError, IsADirectoryError):
                (folder / name).unlink()
    return known or {}


def _hashed(folder: Path, path: str, state: FileState) -> HashedSource:
    with (folder / path).open("rb") as file:
        return HashedSource(state, digest_of(file.fileno(), state.size))


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
