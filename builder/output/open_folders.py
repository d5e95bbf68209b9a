"""Folders below one folder, opened name by name without following links, and kept open for a while."""

from __future__ import annotations

import fcntl
import os

from builder.store import walk

MOST = 200
"""Folders that are kept open; the system allows a process a thousand files or so."""


class OpenFolders:
    """Folders by their path below `root`, "" for itself. What is kept open is closed with it.

    A descriptor leads to its folder whatever has taken its place since. Nothing can be made in a folder that
    has been removed: who gets FileNotFoundError for a file has to `forget`, and to try again.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._open: dict[str, int] = {}

    def inode(self) -> int:
        """The number of `root` on its file system."""
        return os.fstat(self._root).st_ino

    def lock(self, *, wait: bool) -> bool | None:
        """Lock `root` for whoever has opened it here; `Tree.lock` tells what comes back."""
        try:
            fcntl.flock(self._root, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return None
        return True

    def open(self, folder: str) -> int:
        """The descriptor of a folder. Raises FileNotFoundError or Blocked."""
        found = self._root if not folder else self._open.get(folder)
        return self._descend(folder) if found is None else found

    def make(self, folder: str) -> int:
        """The descriptor of a folder, which is made if it is not there. Raises Blocked or OSError."""
        try:
            return self.open(folder)
        except FileNotFoundError:
            return self._made(folder)

    def make_room(self) -> None:
        """Close folders when too many are open: between two uses, as what was given out is closed too."""
        if len(self._open) >= MOST:
            self.forget()

    def remove_empty(self, folder: str) -> None:
        """Remove a folder if it is empty, and those above that are empty by it, but not the first."""
        while folder:
            above, _, name = folder.rpartition("/")
            try:
                os.rmdir(name, dir_fd=self.open(above))
            except (OSError, walk.Blocked):
                return  # not empty: something else lives there, and so do its parents
            self._close(folder)
            folder = above

    def forget(self) -> None:
        """Close all but the first."""
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def close(self) -> None:
        """Close all."""
        self.forget()
        os.close(self._root)

    def _descend(self, folder: str) -> int:
        here, way = self._root, ""
        for name in folder.split("/"):
            way = f"{way}/{name}" if way else name
            if way not in self._open:
                self._open[way] = walk.open_folder(here, name)
            here = self._open[way]
        return here

    def _made(self, folder: str) -> int:
        here, way = self._root, ""
        for name in folder.split("/"):
            way = f"{way}/{name}" if way else name
            here = self._step(here, way, name)
        return here

    def _step(self, here: int, way: str, name: str) -> int:
        if way not in self._open:
            try:
                self._open[way] = walk.open_folder(here, name)
            except FileNotFoundError:
                _make(here, name)
                self._open[way] = walk.open_folder(here, name)
        return self._open[way]

    def _close(self, folder: str) -> None:
        descriptor = self._open.pop(folder, None)
        if descriptor is not None:
            os.close(descriptor)


def _make(parent: int, name: str) -> None:
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return  # another process has just made it
