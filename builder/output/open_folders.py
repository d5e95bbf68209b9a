"""The output folder and those below it, opened name by name without following links, and kept open.

Results are never written among the sources. A link in the site's folder may have come with the site, from
somebody else, so none is followed there. A folder elsewhere is the choice of whoever runs the build: a link
to it is followed once, when it is opened.
"""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

from builder.errors import OutputError
from builder.store import walk

SOURCES = ("docs", "pages", "static", ".twinpress")
VERSIONS = frozenset({".git", ".hg", ".svn", ".jj"})
"""Folders in which programs that keep versions have their own files."""

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_HINT = "choose a folder such as `dist`"

DeviceAndInode = tuple[int, int]
"""What a folder is, whatever it is called."""


def open_folder(folder: Path, site: Path) -> int:
    """The descriptor of the output folder, which is made if it is not there.

    Raises OutputError when the folder is none for results, and OSError.
    """
    out = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links
    _check(out.resolve(), site.resolve())
    below = _below(out, _identity(site))
    if below is not None:
        return _within(site, below, folder)
    if out.exists() and not out.is_dir():
        raise OutputError("the output folder is a file", path=str(folder), hint="choose another name")
    out.mkdir(parents=True, exist_ok=True)
    return os.open(out, _FLAGS)


def _check(out: Path, site: Path) -> None:
    """Refuse a folder in which results would mix with other files. Names are compared without case."""
    own, home = _identity(out), _identity(site)
    if site.is_relative_to(out) or (own and own in map(_identity, site.parents)):
        raise OutputError("the output folder holds the site itself", path=str(out), hint=_HINT)
    names = [name.casefold() for name in out.parts]
    versions = next((name for name in names if name in VERSIONS), "")
    if versions:
        message = f"the output folder lies within `{versions}`, whose files are another program's"
        raise OutputError(message, path=str(out), hint=_HINT)
    below = _below(out, home) or ("",)
    if below[0].casefold() in SOURCES:
        message = f"the output folder lies within `{below[0].casefold()}`, which is read as source"
        raise OutputError(message, path=str(out), hint=_HINT)


def _below(out: Path, site: DeviceAndInode | None) -> tuple[str, ...] | None:
    """The names on the way from the site's folder down to `out`; None when `out` lies elsewhere."""
    for level, folder in enumerate((out, *out.parents)):
        if site is not None and _identity(folder) == site:
            return out.parts[len(out.parts) - level :]
    return None


def _identity(path: Path) -> DeviceAndInode | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _within(site: Path, parts: tuple[str, ...], folder: Path) -> int:
    folders = OpenFolders(os.open(site, _FLAGS))
    try:
        return os.dup(folders.make("/".join(parts)))
    except walk.Blocked as blocked:
        if blocked.kind == "a file":
            raise OutputError("the output folder is a file", path=str(folder), hint=_HINT) from None
        raise OutputError(
            f"`{blocked.name}` is {blocked.kind}, and nothing is written through it",
            path=str(folder),
            hint="remove it, or name the folder that it leads to with `--output`",
        ) from None
    finally:
        folders.close()


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

    def state(self) -> os.stat_result:
        """The state of `root`."""
        return os.fstat(self._root)

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

    def open_alone(self, folder: str) -> int:
        """The descriptor of a folder, as `open` gives it, for who needs no other one beside it."""
        found = self._root if not folder else self._open.get(folder)
        if found is None:
            self.make_room()
            return self._descend(folder)
        return found

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
