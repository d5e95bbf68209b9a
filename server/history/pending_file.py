"""The part of the history that a writer waits for: one append before a change and one after it.

What a killed process has written is in the system's hands already. For a power cut, the file is synced before
a change replaces what is kept nowhere else. So no content is lost, but the history may not know any more who
made the changes of its last half a minute; it finds them in the files, as changes made outside.

The holder of the site's lock finds out whether the last change in the file has been made.
"""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from builder.store import ChangeAnnouncement, FileChange, walk
from builder.store.temp_files import KEEP_LIMIT, split
from server.history import files, folding_file, pending_log
from server.history.contents import DurableContents, id_of
from server.history.folding_file import NAME
from server.history.revision import HistoryEntry, is_same

FOLDER = files.FOLDER
_NONE = _UNKNOWN = -1
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
log = logging.getLogger("twinpress.history")


class PendingFile:
    """A keeper's file of changes; all methods but `close` are for whoever holds the site's lock.

    The file stays open, so that a turn costs one look, to see that it is the same, and two appends.
    """

    def __init__(self, durable: DurableContents) -> None:
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
            self._size, self._identity = _settle(root, state, self._file, about.st_size, refused=refused)
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
        for entry in (*_entries(lambda: folding_file.aside(state, sync=True)), *_entries(self._own)):
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
            files.append(self._file, pending_log.done_record(self._identity, _gone(root, change.may_go)))
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


def _opened(state: int, flags: int) -> int:
    if flags & os.O_CREAT:
        with files.folder(state) as folder:
            return os.open(NAME, flags, 0o600, dir_fd=folder)
    with walk.folder(state, (FOLDER,)) as folder:
        return os.open(NAME, flags, dir_fd=folder)


def _settle(root: int, state: int, file: int, size: int, *, refused: bool) -> tuple[int, str]:
    """Size and ID of the file once its last change is settled.

    `refused` is a change of this process that raised an error; without it, the process was ended amid it.
    """
    if size < pending_log.HEAD:
        os.ftruncate(file, 0)
        return 0, ""
    tail = os.pread(file, pending_log.TAIL, max(size - pending_log.TAIL, 0))
    try:
        identity = pending_log.identity_of(os.pread(file, pending_log.HEAD, 0))
        if size == pending_log.HEAD or pending_log.is_settled(identity, tail):
            return size, identity
        found = pending_log.parse(files.OpenBytes(file, size))
    except pending_log.Garbled as fault:
        return _cut(state, file, fault)
    if found.open is None or not _is_made(root, found.open, refused=refused):
        os.ftruncate(file, found.settled)
    else:
        os.ftruncate(file, found.whole)
        files.append(file, pending_log.done_record(identity, _gone(root, found.open.may_go)))
    return os.fstat(file).st_size, identity


def _cut(state: int, file: int, fault: pending_log.Garbled) -> tuple[int, str]:
    """Move what cannot be read to a file of its own and go on; nothing of it is deleted."""
    name = f"{files.UNREADABLE}{secrets.token_hex(4)}"
    with files.folder(state) as folder:
        apart = os.open(name, _NEW, 0o600, dir_fd=folder)
        try:
            files.copy(file, fault.settled, apart)
        except BaseException:
            os.unlink(name, dir_fd=folder)  # there was no room for it; it is where it was
            raise
        finally:
            os.close(apart)
    os.ftruncate(file, fault.settled)
    log.warning(
        "Some of the last changes are missing in the history: %s/%s cannot be read", files.FOLDER, name
    )
    identity = pending_log.identity_of(os.pread(file, pending_log.HEAD, 0)) if fault.settled else ""
    return fault.settled, identity


def _is_made(root: int, change: ChangeAnnouncement, *, refused: bool) -> bool:
    """Return whether a change was made before its process was killed; the store has mended its files.

    Where an editor has changed the files since, and the process was killed, its hidden file tells; without
    one it counts as made: one version too many in the history does no harm.
    """
    now = [(each, _content(root, each.file)) for each in change.files]
    if all(is_same(content, each.new) for each, content in now):
        return not all(map(_is_same, change.files)) or bool(change.made)
    if refused or all(is_same(content, each.old) for each, content in now):
        return False
    return not any(_waits(root, each) for each in change.files)


def _is_same(each: FileChange) -> bool:
    return is_same(each.old, each.new)


def _waits(root: int, each: FileChange) -> bool:
    """Return whether the new bytes still lie under their hidden name."""
    return each.temporary is not None and is_same(_content(root, each.file, each.temporary), each.new)


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
