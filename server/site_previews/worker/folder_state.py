"""Tell whether anything in a site's folder is another than at the last look, by a look at every file.

No file is opened. It takes a small part of the time of reading the site again, and misses nothing, whoever
has changed the site: the dashboard, the API, another process, a restored backup.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from builder.store import FRESH, FileState, state_of

_OTHERS = frozenset({".git", ".twinpress"})
"""Folders with nothing of what is shown."""


class FolderState:
    """The state of the folder at `root`, as it was at the last look."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._last = b""

    def has_changed(self) -> bool:
        """Return whether it may be another: what is very young may change again without its times telling."""
        now, youngest, digest = time.time_ns(), 0, hashlib.blake2b(digest_size=16)
        for name, state in _files(self._root):
            digest.update(f"{name}\0{state}\0".encode(errors="surrogateescape"))
            youngest = max(youngest, state.youngest)
        found = digest.digest()
        changed = found != self._last
        self._last = found if now - youngest > FRESH else b""
        return changed

    def forget(self) -> None:
        """Take it for another at the next look."""
        self._last = b""


def _files(root: str) -> Iterator[tuple[str, FileState]]:
    """All files and folders by name; what goes during the look is not there."""
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            yield folder, state_of(os.lstat(folder))
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                folders += [] if entry.name in _OTHERS else [entry.path]
            else:
                yield from _file(entry)


def _file(entry: os.DirEntry[str]) -> Iterator[tuple[str, FileState]]:
    try:
        yield entry.path, state_of(entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        return
