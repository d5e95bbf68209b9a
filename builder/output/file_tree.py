"""The files below the output folder, each reached name by name from its descriptor: no link is followed.

What takes the place of a file is written under a hidden name of its own in `_tp`, made with O_EXCL, and
renamed: what somebody has put there, a link to a file elsewhere, is replaced and never written through.
"""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from builder.output.open_folders import OpenFolders
from builder.output.written_files import WrittenFiles
from builder.store import temp_files, walk
from builder.theme import FOLDER

T = TypeVar("T")
Fill = Callable[[int], None]
"""Writes all of a file into a descriptor."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Tree:
    """Owns `root`, the descriptor of the output folder, and closes it at the latest when it is let go of.

    Paths are relative with forward slashes. Every method raises OSError, or Blocked when something that is
    no folder stands where one of the path's folders should be.
    """

    def __init__(self, root: int) -> None:
        self._folders = OpenFolders(root)
        self.close = weakref.finalize(self, self._folders.close)

    @property
    def inode(self) -> int:
        """The number of the output folder on its file system."""
        return self._folders.state().st_ino

    def is_at(self, folder: Path) -> bool:
        """Return whether it is the folder that stands at a path now."""
        try:
            return os.path.samestat(folder.stat(), self._folders.state())
        except OSError:
            return False

    def lock(self, *, wait: bool) -> bool | None:
        """Keep all others who lock it out until it is closed; None where the file system has no locks.

        False when somebody else has it locked; with `wait` that one is waited for.
        """
        return self._folders.lock(wait=wait)

    def check(self, folder: str) -> bool:
        """Return whether there is a folder: walks to it as far as there is one. Raises what is in the way."""
        try:
            self._folders.open_alone(folder)
        except FileNotFoundError:
            return False
        return True

    def look(self, path: str) -> os.stat_result | None:
        """Return the state of the entry at a path, not following it if it is a link; None without one."""
        folder, _, name = path.rpartition("/")
        try:
            return os.stat(name, dir_fd=self._folders.open_alone(folder), follow_symlinks=False)
        except FileNotFoundError:
            return None

    def as_left(self, written: WrittenFiles) -> set[str]:
        """List the files that are as an earlier build has `written` them, as far as their states tell.

        One look at each folder takes half as long as one at each file.
        """
        found: set[str] = set()
        for folder in {path.rpartition("/")[0] for path in written.old}:
            with suppress(OSError, walk.Blocked), os.scandir(self._folders.open_alone(folder)) as entries:
                way = f"{folder}/" if folder else ""
                for entry in entries:
                    path = f"{way}{entry.name}"
                    if path in written.old and written.tells(path, entry.stat(follow_symlinks=False)):
                        found.add(path)
        return found

    def read(self, path: str, limit: int) -> bytes:
        """All bytes of a regular file. Raises FileNotFoundError, Blocked too, or TooLarge above `limit`."""
        folder, _, name = path.rpartition("/")
        return walk.read_file(self._folders.open(folder), name, limit)[0]

    def is_same(self, path: str, found: os.stat_result, data: bytes) -> bool:
        """Return whether what was `found` at a path is a regular file with these very bytes."""
        return (
            stat.S_ISREG(found.st_mode)
            and found.st_size == len(data)
            and self.bytes_of(path, len(data)) == data
        )

    def bytes_of(self, path: str, size: int) -> bytes | None:
        """The bytes of the regular file that was seen there, None when it is gone or has grown since."""
        try:
            return self.read(path, size)
        except (FileNotFoundError, walk.TooLarge):
            return None

    def put(self, path: str, data: bytes, *, is_new: bool) -> os.stat_result | None:
        """Write a file, or replace what stands there; gives the file, unless it is another one by now.

        Where nothing stands (`is_new`) it is written at once: renaming would cost as much again, and as it
        is on no list before the build ends, half of it would be replaced by the next.
        """
        if is_new:
            try:
                return self._again(lambda: self._create(path, data))
            except FileExistsError:
                pass  # another build was quicker
        return self.replace(path, lambda new: temp_files.write_all(new, data))

    def link(self, path: str, other: str, inode: int) -> os.stat_result | None:
        """Give the file with this inode at `path` another name; None when it cannot have it, or has it not.

        Not every file system has files with two names.
        """
        folder, _, name = path.rpartition("/")
        elsewhere, _, new = other.rpartition("/")
        self._folders.make_room()
        try:
            here, there = self._folders.open(folder), self._folders.make(elsewhere)
            os.link(name, new, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
        except OSError:
            return None  # who writes it instead is told why it cannot be
        found = walk.look(there, new)
        if found is not None and found.st_ino != inode:
            os.unlink(new, dir_fd=there)  # somebody has put another file there meanwhile
            return None
        return found

    def replace(self, path: str, fill: Fill) -> os.stat_result | None:
        """Write a file aside and rename it to its place; gives the file, unless it is another one by now."""
        temporary, written = self._again(lambda: _write(self._folders.make(FOLDER), fill))
        found = self._again(lambda: self._move(temporary, path))
        return found if found and found.st_ino == written.st_ino else None

    def remove(self, path: str) -> None:
        """Remove a file, and the folders that are empty by it; nothing else that stands there."""
        folder, _, name = path.rpartition("/")
        try:
            there = self._folders.open(folder)
            found = walk.look(there, name)
            if found is not None and not stat.S_ISDIR(found.st_mode):
                os.unlink(name, dir_fd=there)
        except (FileNotFoundError, walk.Blocked):
            return  # its folder is gone, or somebody's own thing stands there
        self._folders.remove_empty(folder)

    def sweep(self) -> None:
        """Remove what a build that was ended had not yet put into its place."""
        for name in filter(temp_files.is_temporary, self.names(FOLDER)):
            self.remove(f"{FOLDER}/{name}")

    def names(self, folder: str) -> list[str]:
        """List the names in a folder; none when it is not there."""
        try:
            own = self._folders.open(folder)
        except FileNotFoundError:
            return []
        with os.scandir(own) as entries:
            return [entry.name for entry in entries]

    def _create(self, path: str, data: bytes) -> os.stat_result:
        folder, _, name = path.rpartition("/")
        there = self._folders.make(folder)
        new = os.open(name, _NEW, 0o666, dir_fd=there)
        return _fill(new, there, name, lambda new: temp_files.write_all(new, data))

    def _move(self, temporary: str, path: str) -> os.stat_result | None:
        """Rename a file that was written aside; when that fails it is removed."""
        folder, _, name = path.rpartition("/")
        own = self._folders.make(FOLDER)
        try:
            there = self._folders.make(folder)
            os.rename(temporary, name, src_dir_fd=own, dst_dir_fd=there)
        except FileNotFoundError:
            raise  # `_again` is told
        except BaseException:
            os.unlink(temporary, dir_fd=own)
            raise
        return walk.look(there, name)

    def _again(self, action: Callable[[], T]) -> T:
        """Make a file; once more when another build has just removed its folder."""
        self._folders.make_room()
        try:
            return action()
        except FileNotFoundError:
            self._folders.forget()
            return action()


def _write(own: int, fill: Fill) -> tuple[str, os.stat_result]:
    """Write a new file with a hidden name into the folder `own`; gives the name and the file."""
    name = temp_files.new_name()
    return name, _fill(os.open(name, _NEW, 0o666, dir_fd=own), own, name, fill)


def _fill(descriptor: int, folder: int, name: str, fill: Fill) -> os.stat_result:
    """Fill a file that has just been made, and close it; when that fails it is removed."""
    try:
        fill(descriptor)
        return os.fstat(descriptor)
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)
