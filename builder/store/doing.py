"""One step of a change while it is being made: over the file that was meant, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from builder.errors import RevisionMismatch
from builder.store import swap, walk
from builder.store.journal import JournalStep
from builder.store.open_elsewhere import PATIENCE, let_go
from builder.store.temp_files import KEEP_LIMIT, State, identity, split

Tell = Callable[[bytes], None]


class Doing(Struct):
    """A step that is being made over a file that says `old`; `spent` is the old file's hidden name then.

    One that insists is made over another file, too, and has `tell` called with what that says.
    """

    step: JournalStep
    old: bytes | None
    tell: Tell | None = None
    spent: str | None = None
    is_final: bool = False
    _seen: State | None = None
    _own: State | None = None

    def apply(self, folder: int) -> None:
        """Raises RevisionMismatch, with the file as it is, when it is another one by now, and OSError."""
        name, new = split(self.step.file)[1], self.step.temporary
        self._own = identity(folder, new) if new else None
        if new is None:
            self.spent = swap.remove(folder, name, self._is_meant)
        elif self.old is None:
            swap.create(folder, new, name)
        else:
            self.is_final = not swap.replace(folder, new, name, self._is_meant)
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
                os.unlink(swap.remove(folder, name, self._is_own), dir_fd=folder)
            elif new is None:
                swap.create(folder, self.spent, name)
            else:
                swap.replace(folder, self.spent, name, self._is_own)

    def _is_own(self, folder: int, name: str) -> bool:
        return swap.is_still(self._own, folder, name)

    def check(self, folder: int) -> None:
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
        """Whether nobody is just saving the file; one that insists only gives him the time to be done."""
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
