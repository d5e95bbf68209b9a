"""The journal: what a change of several files is about to do, in `.twinpress/state/journal.json`.

    {"steps": [[file, temporary, backup, old, new], ...]}

A step puts the temporary file in the place of `file`, or removes `file` where temporary is null. The backup
is the old file under a second name, null where there was none; both lie beside the file. By `old` and `new`
(inode, size, time) the two are known again, null stands for no file.

A site may come from anybody, its state folder too: what is no page's file or no hidden name is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from builder.errors import StorageError
from builder.store import walk
from builder.store.names import is_site_file
from builder.store.records import Identity
from builder.store.temp_files import is_temporary


class UnreadableJournal(StorageError):
    """Nothing can be changed until somebody has looked at the journal; reading can go on."""


NAME = "journal.json"
_DRAFT = "journal.tmp"
_LIMIT = 1 << 24


class JournalStep(Struct, frozen=True):
    """One file of a change; see above. `file` is relative to the site, the others are names beside it."""

    file: str
    temporary: str | None
    backup: str | None
    old: Identity | None = None
    new: Identity | None = None


class _Journal(Struct, frozen=True):
    """The file as it is written: the fields of each step in their order."""

    steps: list[tuple[str, str | None, str | None, Identity | None, Identity | None]]


def read(state: int) -> list[JournalStep]:
    """The steps of an unfinished change, none when there is none. Raises StorageError when it is garbled."""
    try:
        data, _ = walk.read_file(state, NAME, _LIMIT)
    except FileNotFoundError:
        return []
    try:
        return [_step(*listed) for listed in msgspec.json.decode(data, type=_Journal).steps]
    except ValueError:
        raise UnreadableJournal(
            "the journal of an unfinished change cannot be read",
            path=f".twinpress/state/{NAME}",
            hint="look at the pages changed last, then delete this file",
        ) from None


def write(state: int, steps: Sequence[JournalStep]) -> None:
    """Make the steps durable; from here on the change will be finished."""
    journal = _Journal([(step.file, step.temporary, step.backup, step.old, step.new) for step in steps])
    descriptor = os.open(
        _DRAFT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=state
    )
    try:
        with os.fdopen(os.dup(descriptor), "wb") as draft:
            draft.write(msgspec.json.encode(journal))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(_DRAFT, NAME, src_dir_fd=state, dst_dir_fd=state)
    os.fsync(state)


def clear(state: int) -> None:
    """The change is done, or taken back. Durable, as an old journal must never be followed again."""
    try:
        os.unlink(NAME, dir_fd=state)
    except FileNotFoundError:
        return
    os.fsync(state)


def _step(
    file: str, temporary: str | None, backup: str | None, old: Identity | None, new: Identity | None
) -> JournalStep:
    """Raises ValueError for what no change of ours has written."""
    if not is_site_file(file):
        raise ValueError(file)
    for name in (temporary, backup):
        if name is not None and not is_temporary(name):
            raise ValueError(name)
    return JournalStep(file, temporary, backup, old, new)
