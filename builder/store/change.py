"""Change files so that there is only before and after, whatever fails and whenever the power goes.

A single file is written beside its target under a hidden name, synced and renamed over it. Several files
of one change are prepared the same way, with a second name kept for each old one; then the journal says
what is to be done; then it is done. Whoever takes the lock next and finds a journal finishes the change,
or takes it back where it cannot be finished.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from builder.errors import RevisionMismatch
from builder.store import journal, walk
from builder.store.journal import Step
from builder.store.keeper import Announcement, FileChange, Turn
from builder.store.staging import KEEP_LIMIT, keep, split, stage

Check = Callable[[], None]
"""Raises RevisionMismatch when the change must not be made any more."""


def _no_check() -> None:
    """The change is made over whatever is there."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be: new bytes for some files, others gone. Names are on disk, from the site's folder.

    For the keeper: the folders that were `made` for it, and those that `may_go` after it.
    """

    puts: Mapping[str, bytes]
    removes: Sequence[str] = ()
    made: Sequence[str] = ()
    may_go: Sequence[str] = ()


def commit(turn: Turn, change: Change, check: Check = _no_check) -> None:
    """Make the change durable; the folders must be there and the lock be held.

    `check` is called at the last moment, as editors take no lock: when it raises, nothing is changed.
    Raises OSError or Blocked, and then everything is as it was, or, where even that is refused, will be put
    in order by the next `recover`.
    """
    steps = _prepare(turn.root, change)
    try:
        _announce(turn, change, steps)
    except BaseException:
        _discard(turn.root, steps)
        raise
    if len(steps) == 1:
        _commit_one(turn.root, steps, check)
    elif steps:
        _commit_all(turn.root, turn.state, steps, check)


def recover(root: int, state: int) -> None:
    """Finish the change of a process that was ended amid it, if there is one; the lock must be held.

    Raises OSError, Blocked or StorageError when the change can neither be finished nor taken back.
    """
    steps = journal.read(state)
    if not steps:
        return
    try:
        if any(_is_taken_back(root, step) for step in steps):
            _undo(root, steps)
        else:
            _finish(root, steps)
    except (OSError, walk.Blocked):
        _undo(root, steps)
    journal.clear(state)
    _discard(root, steps)


def _prepare(root: int, change: Change) -> list[Step]:
    """Write what is new under hidden names and keep what is old under others; nothing to see yet."""
    steps: list[Step] = []
    several = len(change.puts) + len(change.removes) > 1
    try:
        for file, data in change.puts.items():
            steps.append(Step(file, stage(root, file, data), None))
        steps += [Step(file, None, None) for file in change.removes]
        for n, step in enumerate(steps if several else ()):
            steps[n] = Step(step.file, step.temporary, keep(root, step.file))
    except BaseException:
        _discard(root, steps)
        raise
    return steps


def _announce(turn: Turn, change: Change, steps: Sequence[Step]) -> None:
    """Tell the keeper, as late as can be: what an editor saves until then is kept too."""
    if turn.keeper is None or not (steps or change.made or change.may_go):
        return
    files = tuple(
        FileChange(step.file, _read(turn.root, step.file), change.puts.get(step.file), step.temporary)
        for step in steps
    )
    announced = Announcement(files, tuple(change.made), tuple(change.may_go), turn.note)
    turn.keeper.before(turn.state, announced)


def _read(root: int, file: str) -> bytes | None:
    parts, name = split(file)
    try:
        with walk.folder(root, parts) as folder:
            return walk.read_file(folder, name, KEEP_LIMIT)[0]
    except FileNotFoundError:
        return None
    except walk.TooLarge:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), file) from None


def _commit_one(root: int, steps: list[Step], check: Check) -> None:
    """A single rename or removal is whole by itself."""
    parts, _ = split(steps[0].file)
    try:
        with walk.folder(root, parts) as folder:
            check()
            _apply(folder, steps[0])
            os.fsync(folder)
    except BaseException:
        _discard(root, steps)
        raise


def _commit_all(root: int, state: int, steps: list[Step], check: Check) -> None:
    try:
        _sync_folders(root, steps)
        journal.write(state, steps)
        check()
        for step in steps:
            with walk.folder(root, split(step.file)[0]) as folder:
                _apply(folder, step)
        _sync_folders(root, steps)
    except RevisionMismatch:
        journal.clear(state)  # nothing is done yet; taking steps back would put old files over the new ones
        _discard(root, steps)
        raise
    except (OSError, walk.Blocked):
        # If this fails too, the journal and the hidden files stay for the next recovery.
        _undo(root, steps)
        journal.clear(state)
        _discard(root, steps)
        raise
    try:
        journal.clear(state)
    except OSError:
        return  # the change is durable; the next recovery finds it done and clears the journal
    _discard(root, steps)


def _apply(folder: int, step: Step) -> None:
    name = split(step.file)[1]
    if step.temporary is None:
        os.unlink(name, dir_fd=folder)
    else:
        os.rename(step.temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _finish(root: int, steps: Iterable[Step]) -> None:
    """Do what is left; what is not there any more has been done."""
    for step in steps:
        with walk.folder(root, split(step.file)[0]) as folder:
            try:
                _apply(folder, step)
            except FileNotFoundError:
                continue
    _sync_folders(root, steps)


def _is_taken_back(root: int, step: Step) -> bool:
    """Whether a step shows that the change was being taken back: its new file, or its old one, is spent."""
    parts, name = split(step.file)
    with walk.folder(root, parts) as folder:
        if step.backup is not None and walk.look(folder, step.backup) is None:
            return True
        if step.temporary is None or walk.look(folder, step.temporary) is not None:
            return False
        return walk.look(folder, name) is None


def _undo(root: int, steps: Iterable[Step]) -> None:
    """Put back what each step replaced or removed, and take away what it made."""
    for step in steps:
        parts, name = split(step.file)
        try:
            with walk.folder(root, parts) as folder:
                if step.temporary is not None:
                    _unlink(folder, step.temporary)
                if step.backup is None:
                    _unlink(folder, name)
                elif walk.look(folder, step.backup) is not None:
                    os.rename(step.backup, name, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
        except (FileNotFoundError, walk.Blocked):
            continue  # the folder is not there any more, so there is nothing in it to put back


def _discard(root: int, steps: Iterable[Step]) -> None:
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


def _unlink(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return


def _sync_folders(root: int, steps: Iterable[Step]) -> None:
    for parts in dict.fromkeys(split(step.file)[0] for step in steps):
        with walk.folder(root, parts) as folder:
            os.fsync(folder)
