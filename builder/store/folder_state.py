"""The state of all that lies in some folders, in one digest: nothing is opened, files are only looked at."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from msgspec import Struct

from builder.store.names import is_hidden
from builder.store.part_files import WRITTEN
from builder.store.records import state_of

MOST = 1_000_000
"""Files and folders that are looked at, at most."""


class FolderState(Struct, frozen=True):
    """A digest of the names and states of so many `entries`; `youngest` is when one was last touched (ns).

    It has no digest where there are more of them than MOST.
    """

    digest: bytes
    entries: int
    youngest: int


def folder_state(
    roots: Iterable[str], left_out: Collection[str] = (), read: Collection[str] = ()
) -> FolderState | None:
    """Return the state of all below the folders `roots`, but for hidden names and the folders `left_out`.

    Folders that a build has written right below a root are left out, too; none is below a folder with one of
    the names `read`. None where something cannot be looked at, or goes meanwhile.
    """
    found, entries, youngest = hashlib.blake2b(digest_size=16), 0, 0
    try:
        for entry in chain.from_iterable(_walk(root, left_out, read) for root in roots):
            about = entry.stat(follow_symlinks=False)
            state = state_of(about)
            entries, youngest = entries + 1, max(youngest, state.youngest)
            if entries > MOST:
                return FolderState(b"", entries, 0)
            # What comes and goes leaves its mark on the times of its folder.
            found.update(b"%s\0%d %d %d %d %d\0" % (os.fsencode(entry.path), about.st_mode, *state))
    except OSError:
        return None
    return FolderState(found.digest(), entries, youngest)


def _walk(root: str, left_out: Collection[str], read: Collection[str]) -> Iterator[os.DirEntry[str]]:
    """Yield all below a folder in order. Raises OSError."""
    todo = [(root, left_out)]
    while todo:
        folder, without = todo.pop()
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
        for entry in listed:
            if is_hidden(entry.name):
                continue
            if stat.S_ISDIR(entry.stat(follow_symlinks=False).st_mode):
                is_read = folder == root and entry.name in read
                if not is_read and (entry.path in without or (folder == root and _is_output(entry.path))):
                    continue
                todo.append((entry.path, () if is_read else without))
            yield entry


def _is_output(folder: str) -> bool:
    """Return whether a build has written a folder."""
    return os.path.lexists(f"{folder}/{WRITTEN}")
