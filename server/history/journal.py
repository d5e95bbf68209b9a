"""The part of the history that a writer waits for: one append before a change and one after it.

Nothing is synced here: what a killed process has written is in the system's hands already. After a power cut
the last second of the history may be missing; the pages themselves never are.
"""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from builder.store import Announcement, FileChange, walk
from builder.store.staging import KEEP_LIMIT, split
from server.history import pending

FOLDER, NAME, FOLDING, UNREADABLE = "history", "pending", "folding", "unreadable-"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK

_NONE = _UNKNOWN = -1
log = logging.getLogger("twinpress.history")


class Journal:
    """A keeper's file of changes; all methods but `close` are for whoever holds the site's lock.

    The file stays open, so that a turn costs one look, to see that it is the same, and two appends.
    """

    def __init__(self) -> None:
        self._file = _NONE
        self._inode = self._size = 0
        self._identity = ""
        self._open: Announcement | None = None

    def close(self) -> None:
        """Let go of the file. May be called again."""
        if self._file != _NONE:
            os.close(self._file)
        self._file, self._identity = _NONE, ""

    def settle(self, root: int, state: int) -> int:
        """Find out whether the last change has been made; gives the size of the file in bytes.

        What a power cut has garbled is set apart, which is told as a warning. Raises OSError.
        """
        self._open = None
        try:
            about = os.stat(f"{FOLDER}/{NAME}", dir_fd=state, follow_symlinks=False)
            if self._file == _NONE or about.st_ino != self._inode:
                self._take(state, _FLAGS)
        except FileNotFoundError:
            self.close()
            return 0
        if about.st_size != self._size:
            self._size = _UNKNOWN
            self._size, self._identity = _settle(root, state, self._file, about.st_size)
        return self._size

    def before(self, state: int, change: Announcement) -> None:
        """Keep the change; `settle` was called in this turn. Raises OSError, and then nothing is kept."""
        if self._file == _NONE:
            self._take(state, _FLAGS | os.O_CREAT)
        identity = self._identity or secrets.token_hex(pending.ID // 2)
        start = b"" if self._identity else pending.header(identity)
        size = max(self._size, 0)
        self._size = _UNKNOWN
        try:
            _append(self._file, start + pending.change_record(identity, change, time.time()))
        except OSError:
            with suppress(OSError):  # what is cut off is put in order by the next `settle`
                os.ftruncate(self._file, size)
            raise
        self._identity, self._open = identity, change

    def done(self, root: int, state: int) -> int:
        """The change that was kept has been made; gives the size of the file in bytes, 0 for no change."""
        change, self._open = self._open, None
        if change is None:
            return 0
        # The change is durable, whatever happens here; what cannot be marked is settled by the next one.
        with suppress(OSError, walk.Blocked):
            _append(self._file, pending.done_record(self._identity, _gone(root, change.may_go)))
            self._size = os.fstat(self._file).st_size
            return self._size
        return 0

    def _take(self, state: int, flags: int) -> None:
        self.close()
        self._file = _opened(state, flags)
        self._inode, self._size = os.fstat(self._file).st_ino, _UNKNOWN if flags == _FLAGS else 0


def rotate(state: int) -> None:
    """Put the settled file aside for folding; there must be none aside yet. Raises OSError."""
    with _folder(state) as folder, suppress(FileNotFoundError):
        os.rename(NAME, FOLDING, src_dir_fd=folder, dst_dir_fd=folder)


def aside(state: int) -> bytes | None:
    """The file that was put aside, None when there is none."""
    return _read(state, FOLDING)


def aside_id(state: int) -> str:
    """The ID of the file that was put aside; empty when there is none, or it cannot be read."""
    try:
        return pending.identity_of((aside(state) or b"")[: pending.HEAD])
    except pending.Garbled:
        return ""


def folded(state: int) -> None:
    """What was put aside is in the repository."""
    with _folder(state) as folder, suppress(FileNotFoundError):
        os.unlink(FOLDING, dir_fd=folder)


def set_apart(state: int) -> str:
    """Move a file that cannot be read out of the way, and give its new name; nothing of it is deleted."""
    name = f"{UNREADABLE}{secrets.token_hex(4)}"
    with _folder(state) as folder:
        os.rename(FOLDING, name, src_dir_fd=folder, dst_dir_fd=folder)
    return name


def _read(state: int, name: str) -> bytes | None:
    try:
        with walk.folder(state, (FOLDER,)) as folder:
            return walk.read_file(folder, name, KEEP_LIMIT)[0]
    except FileNotFoundError:
        return None


def _settle(root: int, state: int, file: int, size: int) -> tuple[int, str]:
    """Size and ID of the file once its last change is settled."""
    if size < pending.HEAD:
        os.ftruncate(file, 0)
        return 0, ""
    tail = os.pread(file, pending.TAIL, max(size - pending.TAIL, 0))
    try:
        identity = pending.identity_of(os.pread(file, pending.HEAD, 0))
        if size == pending.HEAD or pending.is_settled(identity, tail):
            return size, identity
        found = pending.parse(_whole(file, size))
    except pending.Garbled as fault:
        return _cut(state, file, size, fault)
    if found.open is None or not _is_made(root, found.open):
        os.ftruncate(file, found.settled)
    else:
        os.ftruncate(file, found.whole)
        _append(file, pending.done_record(identity, _gone(root, found.open.may_go)))
    return os.fstat(file).st_size, identity


def _cut(state: int, file: int, size: int, fault: pending.Garbled) -> tuple[int, str]:
    """Move what cannot be read to a file of its own and go on; nothing of it is deleted."""
    name = f"{UNREADABLE}{secrets.token_hex(4)}"
    with _folder(state) as folder:
        apart = os.open(name, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
    try:
        _append(apart, os.pread(file, size - fault.settled, fault.settled))
        os.fsync(apart)
    finally:
        os.close(apart)
    os.ftruncate(file, fault.settled)
    log.warning("Some of the last changes are missing in the history: %s/%s cannot be read", FOLDER, name)
    return fault.settled, pending.identity_of(_whole(file, fault.settled)) if fault.settled else ""


def _is_made(root: int, change: Announcement) -> bool:
    """Whether a change was made before its process was killed; the store has put its files in order already.

    Where an editor has changed the files since, its hidden file tells; without one it counts as made: one
    version too many in the history does no harm.
    """
    now = [(each, _content(root, each.file)) for each in change.files]
    if all(content == each.new for each, content in now):
        return not all(map(_is_same, change.files)) or bool(change.made)
    if all(content == each.old for each, content in now):
        return False
    return not any(_waits(root, each) for each in change.files)


def _is_same(each: FileChange) -> bool:
    return each.old == each.new


def _waits(root: int, each: FileChange) -> bool:
    """Whether the new bytes still lie under their hidden name."""
    return each.temporary is not None and _content(root, each.file, each.temporary) is not None


def _content(root: int, file: str, name: str | None = None) -> bytes | None:
    parts, own = split(file)
    try:
        with walk.folder(root, parts) as folder:
            return walk.read_file(folder, name or own, KEEP_LIMIT)[0]
    except (FileNotFoundError, walk.Blocked, walk.TooLarge):
        return None


def _gone(root: int, may_go: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the folders that are not there."""
    return tuple(folder for folder in may_go if not _is_there(root, folder))


def _is_there(root: int, folder: str) -> bool:
    try:
        with walk.folder(root, folder.split("/")):
            return True
    except (FileNotFoundError, walk.Blocked):
        return False


@contextmanager
def _folder(state: int) -> Iterator[int]:
    """The history's folder; made if it is not there."""
    with suppress(FileExistsError):
        os.mkdir(FOLDER, 0o700, dir_fd=state)
    with walk.folder(state, (FOLDER,)) as folder:
        yield folder


def _opened(state: int, flags: int) -> int:
    if flags & os.O_CREAT:
        with _folder(state) as folder:
            return os.open(NAME, flags, 0o600, dir_fd=folder)
    with walk.folder(state, (FOLDER,)) as folder:
        return os.open(NAME, flags, dir_fd=folder)


def _append(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _whole(file: int, size: int) -> bytes:
    parts: list[bytes] = []
    place = 0
    while place < size and (part := os.pread(file, size - place, place)):
        parts.append(part)
        place += len(part)
    return b"".join(parts)
