"""Names in a site's folders, found out anew at the cost of one look at each folder.

A folder's times change with the names in it, and not with what its files say.
"""

from __future__ import annotations

import os
import time

from msgspec import Struct

from builder.store.names import is_hidden
from builder.store.records import FRESH, FileState, state_of
from builder.store.scan import SOURCES
from builder.store.walk import FLAGS

_SETTINGS = ("site.yml", "site.yaml", "sidebar.yml", "static/_redirects")


class _Folder(Struct, frozen=True):
    """A folder as it was seen; its state can be relied on when it was `settled` by then."""

    state: FileState
    settled: bool
    names: frozenset[tuple[str, str]]
    inner: tuple[str, ...]


class FolderListing:
    """The names and kinds of all that lies in the site whose folder is open as `root`, and its settings.

    Not safe to use from several threads.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._number = 0
        self._folders: dict[str, _Folder] = {}
        self._settings: tuple[FileState | None, ...] = ()

    def look(self) -> int:
        """A number that is another one whenever the names, or the settings, are no longer the same."""
        before, self._folders = self._folders, {}
        same = self._is_set_as_before()
        waiting = list(SOURCES)
        while waiting:
            name = waiting.pop()
            known = before.get(name)
            found = self._folder(name, known)
            if found is not None:
                self._folders[name] = found
                waiting += found.inner
                same = same and known is not None and known.names == found.names
        if not same or len(before) != len(self._folders):
            self._number += 1
        return self._number

    def _is_set_as_before(self) -> bool:
        """Return whether the settings are those of the last look."""
        found = tuple(map(self._state, _SETTINGS))
        same = found == self._settings
        trusted = time.time_ns() - max((state.youngest for state in found if state), default=0) > FRESH
        self._settings = found if trusted else ()
        return same

    def _folder(self, name: str, known: _Folder | None) -> _Folder | None:
        """List a folder as it is now; None when it is none."""
        now = time.time_ns()
        state = self._state(name)
        if state is None:
            return None
        if known is not None and known.settled and known.state == state:
            return known
        try:
            names = frozenset(self._listed(name))
        except NotADirectoryError:
            return None
        except OSError:
            return _Folder(state, settled=False, names=frozenset(), inner=())  # a scan says what is wrong
        inner = tuple(f"{name}/{one}" for one, kind in names if kind == "d")
        return _Folder(state, now - state.youngest > FRESH, names, inner)

    def _listed(self, name: str) -> list[tuple[str, str]]:
        folder = os.open(name, FLAGS | os.O_DIRECTORY, dir_fd=self._root)
        try:
            with os.scandir(folder) as entries:
                return [(entry.name, _kind(entry)) for entry in entries if not is_hidden(entry.name)]
        finally:
            os.close(folder)

    def _state(self, name: str) -> FileState | None:
        try:
            return state_of(os.stat(name, dir_fd=self._root, follow_symlinks=False))
        except OSError:
            return None


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "l"
    if entry.is_dir(follow_symlinks=False):
        return "d"
    return "f" if entry.is_file(follow_symlinks=False) else "o"
