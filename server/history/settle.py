"""Find out whether the last change in the file of pending ones has been made; for the site's lock holder."""

from __future__ import annotations

import logging
import os
import secrets

from builder.store import ChangeAnnouncement, FileChange, walk
from builder.store.temp_files import KEEP_LIMIT, split
from server.history import files, pending_log
from server.history.changes import is_same

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
log = logging.getLogger("twinpress.history")


def settle(root: int, state: int, file: int, size: int, *, refused: bool) -> tuple[int, str]:
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
        files.append(file, pending_log.done_record(identity, gone(root, found.open.may_go)))
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
    """Whether a change was made before its process was killed; the store has put its files in order already.

    Where an editor has changed the files since, and the process was killed, its hidden file tells; without
    one it counts as made: one version too many in the history does no harm.
    """
    now = [(each, _content(root, each.file)) for each in change.files]
    if all(content == each.new for each, content in now):
        return not all(map(_is_same, change.files)) or bool(change.made)
    if refused or all(is_same(content, each.old) for each, content in now):
        return False
    return not any(_waits(root, each) for each in change.files)


def _is_same(each: FileChange) -> bool:
    return is_same(each.old, each.new)


def _waits(root: int, each: FileChange) -> bool:
    """Whether the new bytes still lie under their hidden name."""
    return each.temporary is not None and _content(root, each.file, each.temporary) == each.new


def _content(root: int, file: str, name: str | None = None) -> bytes | None:
    parts, own = split(file)
    try:
        with walk.folder(root, parts) as folder:
            return walk.read_file(folder, name or own, KEEP_LIMIT)[0]
    except (FileNotFoundError, walk.Blocked, walk.TooLarge):
        return None


def gone(root: int, may_go: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the folders that are not there."""
    return tuple(folder for folder in may_go if not _is_there(root, folder))


def _is_there(root: int, folder: str) -> bool:
    try:
        with walk.folder(root, folder.split("/")):
            return True
    except (FileNotFoundError, walk.Blocked):
        return False
