"""Take the place of a file, and make sure that it is the one that was meant: editors take no lock.

What turns out to be another one is put back.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from builder.errors import RevisionMismatch
from builder.store.atomic_rename import Unsupported, exchange, move, replace_in_steps
from builder.store.open_elsewhere import PATIENCE, let_go
from builder.store.records import Identity
from builder.store.temp_files import identity, new_name
from builder.store.walk import look

Meant = Callable[[int, str], bool]
"""Whether the file of this name in a folder, which was just displaced, is the one that was meant."""


def replace(folder: int, new: str, name: str, meant: Meant) -> bool:
    """Put the file `new` in the place of `name`; whether the old file is kept, which has the name `new` then.

    Raises RevisionMismatch when it is not the one that was meant, and OSError; both are where they were then.
    """
    own = identity(folder, new)
    try:
        exchange(folder, new, name)
    except FileNotFoundError:
        if look(folder, new) is None:
            raise
        raise _changed(name) from None
    except Unsupported:
        return _replace_in_steps(folder, new, name, meant)
    try:
        if not meant(folder, new):
            raise _changed(name)
    except BaseException:
        _put_back(folder, new, name, own)
        raise
    return True


def _replace_in_steps(folder: int, new: str, name: str, meant: Meant) -> bool:
    """As sure as it can be without an exchange: the file is looked at in the last moment before it goes."""
    try:
        if not meant(folder, name):
            raise _changed(name)
        return replace_in_steps(folder, new, name)
    except FileNotFoundError:
        if look(folder, new) is None:
            raise
        raise _changed(name) from None


def create(folder: int, new: str, name: str) -> None:
    """Give the file `new` a name that nothing has. Raises RevisionMismatch when something has; OSError."""
    try:
        move(folder, new, name)
    except FileExistsError:
        raise _changed(name) from None


def remove(folder: int, name: str, meant: Meant) -> str:
    """Take a file away; gives the hidden name that it has now. Raises as `replace` does."""
    hidden = new_name()
    try:
        move(folder, name, hidden)
    except FileNotFoundError:
        raise _changed(name) from None
    try:
        if not meant(folder, hidden):
            raise _changed(name)
    except BaseException:
        try:
            move(folder, hidden, name)
        except FileExistsError:  # whoever saved it has saved it again
            os.unlink(hidden, dir_fd=folder)
        raise
    return hidden


def is_still(known: Identity | None, folder: int, name: str) -> bool:
    """Return whether a file that was displaced is as it was, and nobody is just saving it."""
    # In this order: who still has it open is seen at the first look, and who was done by then at the second.
    return let_go(folder, name, PATIENCE) and identity(folder, name) == known


def _put_back(folder: int, hidden: str, name: str, own: Identity | None) -> None:
    """Exchange the two again, so that in the end the last file that somebody saved has the name.

    While ours had the name, somebody may have saved into it, or another file over it.
    """
    expected = own
    while True:
        going = identity(folder, hidden)
        exchange(folder, hidden, name)
        let_go(folder, hidden, PATIENCE)  # who keeps it open for longer has saved nothing yet
        if identity(folder, hidden) == expected:
            return
        expected = going


def _changed(name: str) -> RevisionMismatch:
    return RevisionMismatch("the file was changed just now", path=name, hint="read it again")
