"""The seam for whoever keeps what changes replace: the store tells a keeper of every change, under its lock.

A keeper is told three times: at the start of each turn (`settle`), before files change (`before`) and when
they have changed (`done`), or have turned out to be others by now and stay (`withdrawn`). A process may be
killed between any two of these; the next `settle` finds out from the files which of the two it was.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol

from msgspec import Struct, field

from builder.errors import TwinpressError
from builder.store.records import Identity
from builder.store.walk import Blocked


class ChangeNote(Struct, frozen=True):
    """The author of a change and the reason; the store hands it on and looks at nothing in it.

    `key` is the id of a key (never the key itself), empty when a person changes something at the command
    line; `label` is what the key is called; `act` and `about` are for changes of a keeper's own making. `id`
    names the change from the moment on in which it is asked for; others may have none.
    """

    key: str = ""
    label: str = ""
    act: str = ""
    about: str = ""
    id: str = ""


NOBODY = ChangeNote()


class KeptBytes(Struct, frozen=True):
    """Bytes that a keeper has already, by the id under which it finds them."""

    id: str


class FileChange(Struct, frozen=True):
    """One file of a change: its name on disk, its bytes before and after; None where there is no file.

    The store always gives bytes; a keeper may put ids in the place of those that it has elsewhere.
    `temporary` is the hidden name beside it under which the new bytes wait, None where it is removed.
    """

    file: str
    old: bytes | KeptBytes | None
    new: bytes | KeptBytes | None
    temporary: str | None


class ChangeAnnouncement(Struct, frozen=True):
    """A change before it is made: the folders `made` are new, those in `may_go` may be removed after it."""

    files: tuple[FileChange, ...]
    made: tuple[str, ...]
    may_go: tuple[str, ...]
    note: ChangeNote


class Keeper(Protocol):
    """Is told of changes. `root` and `state` are descriptors of the site's folder and its state folder."""

    def settle(self, root: int, state: int) -> None:
        """Find out whether the change that was told last has been made. Raises OSError or StorageError."""

    def before(self, state: int, change: ChangeAnnouncement) -> None:
        """Keep what is needed to take this back. Raises OSError; then the change is not made."""

    def done(self, root: int, state: int) -> None:
        """Note that the announced change, if any, has been made and is durable. Never raises OSError."""

    def withdrawn(self, state: int) -> None:
        """Note that the announced change has not been made, and nothing else either. Raises OSError."""


class Turn(Struct, frozen=True):
    """One writer's turn: the lock is held, `root` and `state` are open, and `note` says whose turn it is.

    `own` has what the files are known by that this store has written itself, by their names on disk.
    """

    root: int
    state: int
    keeper: Keeper | None = None
    note: ChangeNote = NOBODY
    own: dict[str, Identity] = field(default_factory=dict)

    def settle(self) -> None:
        """Before anything is changed. Raises OSError or StorageError."""
        if self.keeper is not None:
            self.keeper.settle(self.root, self.state)

    def done(self) -> None:
        """After everything has been changed."""
        if self.keeper is not None:
            self.keeper.done(self.root, self.state)

    def withdraw(self) -> None:
        """After a change that was told and then not made, with all as it was."""
        if self.keeper is not None:
            with suppress(OSError):  # whoever has the next turn finds out from the files
                self.keeper.withdrawn(self.state)

    def failed(self) -> None:
        """After a change that was refused; if this is refused too, whoever has the next turn settles it."""
        with suppress(OSError, Blocked, TwinpressError):
            self.settle()
