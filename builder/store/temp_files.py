"""Hidden files: new content before it takes its place, old content until the change is done."""

from __future__ import annotations

import errno
import os
import re

from builder.store import walk
from builder.store.records import Identity, state_of

_TEMPORARY = re.compile(r"\.tp-[0-9a-f]{16}\.tmp")
_WITHOUT_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
KEEP_LIMIT = 1 << 30
"""Bytes of a file that can be kept; a larger one is not replaced."""


def is_temporary(name: str) -> bool:
    """Return whether a file is one that an interrupted change has left."""
    return _TEMPORARY.fullmatch(name) is not None


def split(file: str) -> tuple[tuple[str, ...], str]:
    """The folders to a file, and its name."""
    *parts, name = file.split("/")
    return tuple(parts), name


def stage(root: int, file: str, data: bytes) -> tuple[str, Identity]:
    """Write the bytes beside their target, synced; gives the hidden name, and what the file is known by."""
    parts, name = split(file)
    temporary = new_name()
    with walk.folder(root, parts) as folder:
        old = walk.look(folder, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o666, dir_fd=folder)
        try:
            write_all(descriptor, data)
            _adopt(descriptor, old, os.fstat(folder))
            os.fsync(descriptor)
            return temporary, state_of(os.fstat(descriptor)).identity
        except BaseException:
            os.unlink(temporary, dir_fd=folder)
            raise
        finally:
            os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, however many the system takes at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _adopt(descriptor: int, old: os.stat_result | None, folder: os.stat_result) -> None:
    """Give a new file the mode of the one it replaces; as root, its owner, so that an editor can save it."""
    if old is not None:
        os.fchmod(descriptor, old.st_mode & 0o777)
    like = old or folder
    if os.geteuid() == 0 and (like.st_uid, like.st_gid) != (0, 0):
        os.fchown(descriptor, like.st_uid, like.st_gid)


def keep(root: int, file: str) -> str | None:
    """Give the old file a second, hidden name; None when there is no old file."""
    parts, name = split(file)
    backup = new_name()
    with walk.folder(root, parts) as folder:
        if walk.look(folder, name) is None:
            return None
        try:
            os.link(name, backup, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _WITHOUT_LINKS:
                raise
            # No hard links here (FAT, some network drives), or not to another user's file: a copy then.
            data, _ = walk.read_file(folder, name, KEEP_LIMIT)
            return stage(root, file, data)[0]
    return backup


def identity(folder: int, name: str) -> Identity | None:
    """Return what a file is known by though it gets another name; None when there is no file.

    Any way to save it changes this: a new file has another inode, and writing changes size or time.
    """
    found = walk.look(folder, name)
    return found and state_of(found).identity


def new_name() -> str:
    """A hidden name that nobody else has."""
    return f".tp-{os.urandom(8).hex()}.tmp"
