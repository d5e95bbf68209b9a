"""Change files so that there is only before and after, whatever fails and whenever the power goes.

1. Each new content is written beside its target under a hidden name, and synced (`temp_files`). When there
   are several files, each old one gets a second, hidden name.
2. Each old file is read once whoever saves it is done (`open_elsewhere`); another one than was meant refuses
   the change.
3. The keeper is told, so that what is replaced is kept before it goes. Nothing is later than that but the
   change itself: what an editor saves until then is kept too.
4. When there are several files, their folders are synced and the journal says what is to be done.
5. The caller's condition is checked at the last moment.
6. Each new file takes its place (`replace_file`). The old one, displaced, is read at once, as an editor takes
   no lock: one that was saved since step 2 is put back.
7. The folders are synced, and each displaced file is looked at again: an editor that had opened it before
   writes to it still. What was written then takes the change back.
8. The journal is cleared, and the hidden names are removed.

A single file is whole by itself and needs no journal. Whoever takes the lock next and finds a journal puts
the site in order (`recovery`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from builder.errors import RevisionMismatch
from builder.store import journal, recovery, replace_file, walk
from builder.store.journal import JournalStep
from builder.store.keeper import ChangeAnnouncement, FileChange, Turn
from builder.store.open_elsewhere import PATIENCE, let_go, read_settled
from builder.store.records import Identity
from builder.store.recovery import discard
from builder.store.temp_files import KEEP_LIMIT, identity, keep, split, stage

Check = Callable[[], None]
"""Raises RevisionMismatch when the change must not be made any more."""


def _no_check() -> None:
    """The change is made over whatever is there."""


class Change(Struct, frozen=True):
    """The aim of a transaction: new bytes for some files, others gone.

    Names are on disk, from the site's folder.

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
    swaps = [
        Swap(step, old, partial(_tell_again, turn, change, step) if change.insists else None)
        for step, old in zip(steps, olds, strict=True)
    ]
    try:
        if len(steps) == 1:
            _commit_one(turn.root, swaps[0], check)
        elif steps:
            _commit_all(turn, swaps, check)
    except RevisionMismatch:
        turn.withdraw()
        raise
    turn.own.update(written)
    for file in change.removes:
        turn.own.pop(file, None)


def _prepare(turn: Turn, change: Change) -> tuple[list[JournalStep], dict[str, Identity]]:
    """Write what is new under hidden names and keep what is old under others; nothing to see yet.

    Gives the steps, and what each new file is known by.
    """
    root, steps, written = turn.root, list[JournalStep](), dict[str, Identity]()
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


def _commit_one(root: int, swap: Swap, check: Check) -> None:
    """A single step is whole by itself."""
    parts, _ = split(swap.step.file)
    try:
        with walk.folder(root, parts) as folder:
            check()
            swap.apply(folder)
            try:
                os.fsync(folder)
                swap.check_spent(folder)
            except (OSError, walk.Blocked, RevisionMismatch):
                swap.take_back(folder)
                raise
    finally:
        discard(root, [swap.left])


def _commit_all(turn: Turn, swaps: Sequence[Swap], check: Check) -> None:
    root, steps = turn.root, [each.step for each in swaps]
    try:
        recovery.sync_folders(root, steps)
        journal.write(turn.state, steps)
        check()
        for each in swaps:
            with walk.folder(root, split(each.step.file)[0]) as folder:
                each.apply(folder)
        recovery.sync_folders(root, steps)
        for each in swaps:
            with walk.folder(root, split(each.step.file)[0]) as folder:
                each.check_spent(folder)
        journal.clear(turn.state)
    except (OSError, walk.Blocked, RevisionMismatch):
        # If this fails too, the journal and the hidden files stay for the next recovery.
        recovery.undo(root, steps)
        journal.clear(turn.state)
        discard(root, [each.left for each in swaps])
        raise
    discard(root, [each.left for each in swaps])


Tell = Callable[[bytes], None]


class Swap(Struct):
    """A step made over a file that says `old`; `spent` is the hidden name that this has once it is displaced.

    One that insists is made over another file, too, and has `tell` called with what that says.
    """

    step: JournalStep
    old: bytes | None
    tell: Tell | None = None
    spent: str | None = None
    is_final: bool = False
    _seen: Identity | None = None
    _own: Identity | None = None

    def apply(self, folder: int) -> None:
        """Put the new file in its place, and displace the old one.

        Raises RevisionMismatch, with the file as it is, when it is another one by now, and OSError.
        """
        name, new = split(self.step.file)[1], self.step.temporary
        self._own = identity(folder, new) if new else None
        if new is None:
            self.spent = replace_file.remove(folder, name, self._is_meant)
        elif self.old is None:
            replace_file.create(folder, new, name)
        else:
            self.is_final = not replace_file.replace(folder, new, name, self._is_meant)
            self.spent = None if self.is_final else new

    @property
    def left(self) -> JournalStep:
        """The step with the hidden names that are left of it."""
        return replace(self.step, temporary=self.spent or self.step.temporary)

    def take_back(self, folder: int) -> None:
        """Undo `apply`; what somebody has saved since stays. Raises OSError."""
        name, new = split(self.step.file)[1], self.step.temporary
        with suppress(RevisionMismatch):
            if self.is_final:
                return
            if self.spent is None:
                os.unlink(replace_file.remove(folder, name, self._is_own), dir_fd=folder)
            elif new is None:
                replace_file.create(folder, self.spent, name)
            else:
                replace_file.replace(folder, self.spent, name, self._is_own)

    def _is_own(self, folder: int, name: str) -> bool:
        return replace_file.is_still(self._own, folder, name)

    def check_spent(self, folder: int) -> None:
        """Raise RevisionMismatch if the old file was written to after it was displaced.

        An editor that has just opened a file under its name writes to that one, whatever it is called by now.
        """
        if self.spent is None:
            return
        if self._is_left(folder, self.spent) and identity(folder, self.spent) == self._seen:
            return
        if not self._is_meant(folder, self.spent):
            raise RevisionMismatch("the file was changed just now", path=self.step.file)

    def _is_left(self, folder: int, name: str) -> bool:
        """Return whether nobody is just saving the file; one that insists only gives him time to end."""
        if self.tell is None:
            return let_go(folder, name)
        let_go(folder, name, PATIENCE)
        return True

    def _is_meant(self, folder: int, name: str) -> bool:
        # First who has it open, then what it says: who is still saving it is seen at the first look, and who
        # was done by then at the second. The other way round, who is done between the two is seen by neither.
        if not self._is_left(folder, name):
            return False
        self._seen = identity(folder, name)
        try:
            now, _ = walk.read_file(folder, name, KEEP_LIMIT)
        except (walk.TooLarge, walk.Blocked):
            return False
        if now == self.old:
            return True
        if self.tell is not None:
            self.tell(now)
        return self.tell is not None
