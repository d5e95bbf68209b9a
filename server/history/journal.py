"""The part of the history that a writer waits for: one append before a change and one after it.

What a killed process has written is in the system's hands already. For a power cut, the file is synced before
a change replaces what is kept nowhere else. So no content is lost, but the history may not know any more who
made the changes of its last half a minute; it finds them in the files, as changes made outside.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from builder.store import ChangeAnnouncement, walk
from server.history import files, pending_log
from server.history import settle as settling
from server.history.changes import HistoryEntry
from server.history.contents import Durable, id_of

FOLDER, NAME, FOLDING = files.FOLDER, "pending", "folding"
_NONE = _UNKNOWN = -1


class Journal:
    """A keeper's file of changes; all methods but `close` are for whoever holds the site's lock.

    The file stays open, so that a turn costs one look, to see that it is the same, and two appends.
    """

    def __init__(self, durable: Durable) -> None:
        self._durable = durable
        self._file = _NONE
        self._is_named = False
        self._inode = self._size = self._start = 0
        self._identity = ""
        self._open: ChangeAnnouncement | None = None

    def close(self) -> None:
        """Let go of the file. May be called again."""
        if self._file != _NONE:
            os.close(self._file)
        self._file, self._size, self._identity = _NONE, 0, ""

    def settle(self, root: int, state: int) -> int:
        """Find out whether the last change has been made; gives the size of the file in bytes.

        What a power cut has garbled is set apart, which is told as a warning. Raises OSError.
        """
        refused, self._open = self._open is not None, None
        try:
            about = os.stat(f"{FOLDER}/{NAME}", dir_fd=state, follow_symlinks=False)
            if self._file == _NONE or about.st_ino != self._inode:
                self._take(state, files.FLAGS)
        except FileNotFoundError:
            self.close()
            return 0
        if about.st_size != self._size:
            self._size = _UNKNOWN
            self._size, self._identity = settling.settle(
                root, state, self._file, about.st_size, refused=refused
            )
        return self._size

    def before(self, state: int, change: ChangeAnnouncement) -> None:
        """Keep the change; `settle` was called in this turn. Raises OSError, and then nothing is kept."""
        if self._file == _NONE:
            self._take(state, files.FLAGS | os.O_CREAT)
        identity = self._identity or secrets.token_hex(pending_log.ID // 2)
        start = b"" if self._identity else pending_log.header(identity)
        size = self._start = max(self._size, 0)
        self._size = _UNKNOWN
        try:
            files.append(self._file, start + pending_log.change_record(identity, change, time.time()))
            if not self._durable.has(change):
                self._sync(state)
        except OSError:
            with suppress(OSError):  # what is cut off is put in order by the next `settle`
                os.ftruncate(self._file, size)
            raise
        self._identity, self._open = identity, change

    def short(
        self, state: int, change: ChangeAnnouncement, kept: Callable[[], Mapping[str, str]]
    ) -> ChangeAnnouncement:
        """The change with ids in the place of what is kept already; `settle` was called in this turn.

        That are the contents of files in `kept`, by their ids, and what was written here before. Raises
        OSError.
        """
        if not self._durable.has(change):
            if self._file != _NONE:
                self._sync(state)
            self._durable.keep({**kept(), **self._written(state)})
        return self._durable.by_id(change)

    def _written(self, state: int) -> dict[str, str]:
        """The last contents of files that are in this file or in the one that was put aside, by their ids."""
        found: dict[str, str] = {}
        for entry in (*_entries(lambda: aside(state, sync=True)), *_entries(self._own)):
            found |= {each.file: id_of(each.new) for each in entry.files if each.new is not None}
        return found

    def _own(self) -> pending_log.Pending | None:
        return pending_log.parse(files.OpenBytes(self._file, self._size)) if self._size > 0 else None

    def done(self, root: int, state: int) -> int:
        """The change that was kept has been made; gives the size of the file in bytes, 0 for no change."""
        change, self._open = self._open, None
        if change is None:
            return 0
        self._durable.made(change)
        # The change is durable, whatever happens here; what cannot be marked is settled by the next one.
        with suppress(OSError, walk.Blocked):
            files.append(
                self._file, pending_log.done_record(self._identity, settling.gone(root, change.may_go))
            )
            self._size = os.fstat(self._file).st_size
            return self._size
        return 0

    def _sync(self, state: int) -> None:
        os.fdatasync(self._file)
        if not self._is_named:
            with files.folder(state) as folder:
                os.fsync(folder)
            self._is_named = True
        self._durable.synced()

    def withdrawn(self) -> None:
        """The change that was kept last has not been made. Raises OSError."""
        if self._open is not None:
            self._open = None
            os.ftruncate(self._file, self._start)
            self._size = self._start
            self._identity = self._identity if self._start else ""

    def _take(self, state: int, flags: int) -> None:
        self.close()
        self._durable.put_aside()
        self._is_named = False
        self._file = _opened(state, flags)
        self._inode, self._size = os.fstat(self._file).st_ino, _UNKNOWN if flags == files.FLAGS else 0


def _entries(read: Callable[[], pending_log.Pending | None]) -> list[HistoryEntry]:
    """The changes that are read; what cannot be read is not kept."""
    with suppress(pending_log.Garbled):
        found = read()
        return found.entries if found is not None else []
    return []


def rotate(state: int) -> None:
    """Put the settled file aside for folding; there must be none aside yet. Raises OSError."""
    with files.folder(state) as folder, suppress(FileNotFoundError):
        os.rename(NAME, FOLDING, src_dir_fd=folder, dst_dir_fd=folder)


def aside(state: int, *, sync: bool = False) -> pending_log.Pending | None:
    """What is in the file that was put aside, None when there is none. Raises Garbled, and OSError.

    It is empty where the first change was refused.
    """
    with _aside(state) as file:
        if file is None:
            return None
        if sync:
            os.fdatasync(file)
        size = os.fstat(file).st_size
        return pending_log.parse(files.OpenBytes(file, size)) if size else pending_log.Pending("")


def aside_id(state: int) -> str:
    """The ID of the file that was put aside; empty when there is none, or it cannot be read."""
    try:
        with _aside(state) as file:
            return "" if file is None else pending_log.identity_of(os.pread(file, pending_log.HEAD, 0))
    except pending_log.Garbled:
        return ""


def folded(state: int) -> None:
    """What was put aside is in the repository."""
    with files.folder(state) as folder, suppress(FileNotFoundError):
        os.unlink(FOLDING, dir_fd=folder)


def set_apart(state: int) -> str:
    """Move a file that cannot be read out of the way, and give its new name; nothing of it is deleted."""
    name = f"{files.UNREADABLE}{secrets.token_hex(4)}"
    with files.folder(state) as folder:
        os.rename(FOLDING, name, src_dir_fd=folder, dst_dir_fd=folder)
    return name


@contextmanager
def _aside(state: int) -> Iterator[int | None]:
    try:
        with walk.folder(state, (FOLDER,)) as folder:
            file, _ = walk.open_file(folder, FOLDING)
    except FileNotFoundError:
        yield None
        return
    try:
        yield file
    finally:
        os.close(file)


def _opened(state: int, flags: int) -> int:
    if flags & os.O_CREAT:
        with files.folder(state) as folder:
            return os.open(NAME, flags, 0o600, dir_fd=folder)
    with walk.folder(state, (FOLDER,)) as folder:
        return os.open(NAME, flags, dir_fd=folder)
