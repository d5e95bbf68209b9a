"""Put in order what a process that was ended amid a change of several files has left.

A step's file is as it was before, or as the change wants it, or neither: somebody has saved it since. Where
one is neither, or the change was being taken back, what was done of it is taken back, and else it is
finished. What somebody has saved since is never touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from functools import partial

from builder.errors import RevisionMismatch
from builder.store import journal, replace_file, walk
from builder.store.journal import JournalStep
from builder.store.temp_files import identity, split


class _Stage(Enum):
    """The progress of a step."""

    BEFORE = auto()
    AFTER = auto()
    STUCK = auto()
    FOREIGN = auto()


def recover(root: int, state: int) -> None:
    """Finish the change of a process that was ended amid it, or take it back; the lock must be held.

    Raises OSError, Blocked or StorageError when neither can be done.
    """
    steps = journal.read(state)
    if not steps:
        return
    try:
        if {_stage(root, step) for step in steps} <= {_Stage.BEFORE, _Stage.AFTER}:
            _finish(root, steps)
        else:
            undo(root, steps)
    except (OSError, walk.Blocked, RevisionMismatch):
        undo(root, steps)
    journal.clear(state)
    discard(root, steps)


def undo(root: int, steps: Iterable[JournalStep]) -> None:
    """Put back what each step replaced or removed, and take away what it made. Raises OSError."""
    for step in steps:
        parts, name = split(step.file)
        try:
            with walk.folder(root, parts) as folder:
                if _stage_in(folder, step) is _Stage.AFTER:
                    _undo(folder, step, name)
                if step.temporary is not None:
                    _unlink(folder, step.temporary)
                os.fsync(folder)
        except (FileNotFoundError, walk.Blocked):
            continue  # the folder is not there any more, so there is nothing in it to put back
        except RevisionMismatch:
            continue  # saved in this very moment, by somebody whose file it is now


def discard(root: int, steps: Iterable[JournalStep]) -> None:
    """Remove the hidden names that are left; a failure here does not matter, as they are swept at start."""
    for step in steps:
        parts, _ = split(step.file)
        for hidden in (step.temporary, step.backup):
            if hidden is not None:
                try:
                    with walk.folder(root, parts) as folder:
                        _unlink(folder, hidden)
                except (OSError, walk.Blocked):
                    continue


def sync_folders(root: int, steps: Sequence[JournalStep]) -> None:
    """Make what was done in the steps' folders durable."""
    for parts in dict.fromkeys(split(step.file)[0] for step in steps):
        with walk.folder(root, parts) as folder:
            os.fsync(folder)


def _stage(root: int, step: JournalStep) -> _Stage:
    with walk.folder(root, split(step.file)[0]) as folder:
        return _stage_in(folder, step)


def _stage_in(folder: int, step: JournalStep) -> _Stage:
    now = identity(folder, split(step.file)[1])
    if now == step.new:
        return _Stage.AFTER
    if now != step.old:
        return _Stage.FOREIGN
    if step.temporary is None:
        is_ready = step.backup is not None and identity(folder, step.backup) is not None
    else:
        is_ready = identity(folder, step.temporary) == step.new
    return _Stage.BEFORE if is_ready else _Stage.STUCK


def _finish(root: int, steps: Sequence[JournalStep]) -> None:
    for step in steps:
        parts, name = split(step.file)
        with walk.folder(root, parts) as folder:
            if _stage_in(folder, step) is _Stage.AFTER:
                continue
            if step.temporary is None:
                _unlink(folder, replace_file.remove(folder, name, partial(replace_file.is_still, step.old)))
            elif step.old is None:
                replace_file.create(folder, step.temporary, name)
            else:
                replace_file.replace(folder, step.temporary, name, partial(replace_file.is_still, step.old))
    sync_folders(root, steps)


def _undo(folder: int, step: JournalStep, name: str) -> None:
    """Take back a step that is done. Raises RevisionMismatch, with nothing changed, and OSError."""
    if step.old is None:
        _unlink(folder, replace_file.remove(folder, name, partial(replace_file.is_still, step.new)))
    elif step.backup is None or walk.look(folder, step.backup) is None:
        return
    elif step.new is None:
        replace_file.create(folder, step.backup, name)
    else:
        replace_file.replace(folder, step.backup, name, partial(replace_file.is_still, step.new))


def _unlink(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
