"""Change files so that there is only before and after, whatever fails and whenever the power goes.

A single file is written beside its target under a hidden name, synced and put in its place. Several files of
one change are prepared the same way, with a second name kept for each old one; then the journal says what is
to be done; then it is done. Whoever takes the lock next and finds a journal recovers (see there).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct, field

from builder.errors import RevisionMismatch
from builder.store import journal, recovery, walk
from builder.store.doing import Doing
from builder.store.journal import JournalStep
from builder.store.keeper import ChangeAnnouncement, FileChange, Turn
from builder.store.recovery import discard
from builder.store.settled import read_settled
from builder.store.temp_files import State, identity, keep, split, stage

Check = Callable[[], None]
"""Raises RevisionMismatch when the change must not be made any more."""


def _no_check() -> None:
    """The change is made over whatever is there."""


class Change(Struct, frozen=True):
    """What is to be: new bytes for some files, others gone. Names are on disk, from the site's folder.

    For the keeper: the folders that were `made` for it, and those that `may_go` after it. Files in `over` are
    to be as they are there, None standing for no file. One that `insists` is made over what an editor saves
    meanwhile, which the keeper is told.
    """

    puts: Mapping[str, bytes]
    removes: Sequence[str] = ()
    made: Sequence[str] = ()
    may_go: Sequence[str] = ()
    over: Mapping[str, bytes | None] = field(default_factory=dict)
    insists: bool = False


def commit(turn: Turn, change: Change, check: Check = _no_check) -> None:
    """Make the change durable; the folders must be there and the lock be held.

    `check` is called at the last moment; what is saved even after it is found when it is displaced. Raises
    RevisionMismatch then; OSError or Blocked. Then everything is as it was, or, where even that is refused,
    will be put in order by the next recovery.
    """
    steps, written = _prepare(turn, change)
    try:
        olds = [read_settled(turn, step.file, insists=change.insists) for step in steps]
        _check_over(change, steps, olds)
        _announce(turn, change, steps, olds)
    except BaseException:
        discard(turn.root, steps)
        raise
    doing = [
        Doing(step, old, partial(_tell_again, turn, change, step) if change.insists else None)
        for step, old in zip(steps, olds, strict=True)
    ]
    try:
        if len(steps) == 1:
            _commit_one(turn.root, doing[0], check)
        elif steps:
            _commit_all(turn, doing, check)
    except RevisionMismatch:
        turn.withdraw()
        raise
    turn.own.update(written)
    for file in change.removes:
        turn.own.pop(file, None)


def _prepare(turn: Turn, change: Change) -> tuple[list[JournalStep], dict[str, State]]:
    """Write what is new under hidden names and keep what is old under others; nothing to see yet.

    Gives the steps, and what each new file is known by.
    """
    root, steps, written = turn.root, list[JournalStep](), dict[str, State]()
    several = len(change.puts) + len(change.removes) > 1
    try:
        for file, data in change.puts.items():
            temporary, written[file] = stage(turn.root, file, data)
            steps.append(JournalStep(file, temporary, None))
        steps += [JournalStep(file, None, None) for file in change.removes]
        for n, step in enumerate(steps if several else ()):
            backup = keep(root, step.file)
            steps[n] = JournalStep(step.file, step.temporary, backup)
            steps[n] = _known(root, steps[n])
    except BaseException:
        discard(root, steps)
        raise
    return steps, written


def _known(root: int, step: JournalStep) -> JournalStep:
    """The step with what its old and its new file are known by."""
    parts, name = split(step.file)
    with walk.folder(root, parts) as folder:
        new = identity(folder, step.temporary) if step.temporary else None
        return JournalStep(step.file, step.temporary, step.backup, identity(folder, name), new)


def _check_over(change: Change, steps: Sequence[JournalStep], olds: Sequence[bytes | None]) -> None:
    for step, old in zip(steps, olds, strict=True):
        if change.over.get(step.file, old) != old:
            raise RevisionMismatch("the file was changed just now", path=step.file, hint="try again")


def _announce(turn: Turn, change: Change, steps: Sequence[JournalStep], olds: Sequence[bytes | None]) -> None:
    """Tell the keeper, as late as can be: what an editor saves until then is kept too."""
    if turn.keeper is None or not (steps or change.made or change.may_go):
        return
    files = tuple(
        FileChange(step.file, old, change.puts.get(step.file), step.temporary)
        for step, old in zip(steps, olds, strict=True)
    )
    announced = ChangeAnnouncement(files, tuple(change.made), tuple(change.may_go), turn.note)
    turn.keeper.before(turn.state, announced)


def _tell_again(turn: Turn, change: Change, step: JournalStep, now: bytes) -> None:
    """The keeper hears of what an editor has just saved, as if that had been replaced after the rest."""
    if turn.keeper is not None:
        turn.keeper.done(turn.root, turn.state)
        _announce(turn, change, [step], [now])


def _commit_one(root: int, doing: Doing, check: Check) -> None:
    """A single step is whole by itself."""
    parts, _ = split(doing.step.file)
    try:
        with walk.folder(root, parts) as folder:
            check()
            doing.apply(folder)
            try:
                os.fsync(folder)
                doing.check(folder)
            except (OSError, walk.Blocked, RevisionMismatch):
                doing.take_back(folder)
                raise
    finally:
        discard(root, [doing.left])


def _commit_all(turn: Turn, doing: Sequence[Doing], check: Check) -> None:
    root, steps = turn.root, [each.step for each in doing]
    try:
        recovery.sync_folders(root, steps)
        journal.write(turn.state, steps)
        check()
        for each in doing:
            with walk.folder(root, split(each.step.file)[0]) as folder:
                each.apply(folder)
        recovery.sync_folders(root, steps)
        for each in doing:
            with walk.folder(root, split(each.step.file)[0]) as folder:
                each.check(folder)
        journal.clear(turn.state)
    except (OSError, walk.Blocked, RevisionMismatch):
        # If this fails too, the journal and the hidden files stay for the next recovery.
        recovery.undo(root, steps)
        journal.clear(turn.state)
        discard(root, [each.left for each in doing])
        raise
    discard(root, [each.left for each in doing])
