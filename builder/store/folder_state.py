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
    """A digest of the names and states of so many `entries`; `youngest` is when one was last touched (ns)."""

    digest: bytes
    entries: int
    youngest: int


def folder_state(roots: Iterable[str], left_out: Collection[str] = ()) -> FolderState | None:
    """Return the state of all below the folders `roots`, but for hidden names and the folders `left_out`.

    Folders that a build has written right below a root are left out, too. None where there are more than MOST
    files and folders, or where something cannot be looked at.
    """
    found, entries, youngest = hashlib.blake2b(digest_size=16), 0, 0
    try:
        for entry in chain.from_iterable(_walk(root, left_out, is_root=True) for root in roots):
            about, name = entry.stat(follow_symlinks=False), os.fsencode(entry.path)
            entries += 1
            if entries > MOST:
                return None
            if stat.S_ISDIR(about.st_mode):
                found.update(b"%s\0%d\0" % (name, about.st_mode))
                continue
            state = state_of(about)
            youngest = max(youngest, state.youngest)
            found.update(b"%s\0%d %d %d %d %d\0" % (name, about.st_mode, *state))
    except OSError:
        return None
    return FolderState(found.digest(), entries, youngest)


def _walk(folder: str, left_out: Collection[str], *, is_root: bool = False) -> Iterator[os.DirEntry[str]]:
    """Yield all below a folder in order. Raises OSError."""
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        if is_hidden(entry.name):
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and (entry.path in left_out or (is_root and os.path.lexists(f"{entry.path}/{WRITTEN}"))):
            continue
        yield entry
        if is_folder:
            yield from _walk(entry.path, left_out)
