"""Change the master key: a new one seals from now on, and what older ones have sealed is sealed anew.

All of it happens within changes of the database: two programs never rotate at once, and no key is taken away
between the sealing of a secret and its being written. The service may run meanwhile. It stands
apart from the commands, which are of a higher layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from server.control.sealing import canary
from server.control.sealing.key_file import KeyFile
from server.control.sealing.keyring import Keyring, Source
from server.control.sealing.master_key import MasterKey, generate, written
from server.control.sealing.places import Sealed, sealed_texts
from server.control.sqlite.database import ControlDatabase, Transaction

BATCH = 50
"""Secrets that are sealed anew in one change, for which all other writers wait."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """The outcome for the master keys."""

    ids: tuple[str, ...]
    """The keys that came, or went."""
    variable: str | None = field(repr=False)
    """What the environment variable has to hold from now on; None when the keys are in a file."""


def rotate(database: ControlDatabase, source: Source) -> Replaced:
    """Add a new key, which seals from now on. Raises SecretError and DatabaseError."""
    new = generate()
    with database.change() as change:
        keys = (new, *source.load())
        if not isinstance(source, KeyFile):
            return Replaced((new.id,), written(keys))
        source.store(keys)
        canary.keep(change, keys)
    return Replaced((new.id,), None)


def rewrap(database: ControlDatabase, keyring: Keyring) -> int:
    """Seal everything with the newest key and say how many texts that were. Raises SecretError.

    What somebody else replaces meanwhile is left to them, and looked at again.
    """
    done = 0
    while old := [each for each in sealed_texts(database) if each.key != keyring.newest]:
        for start in range(0, len(old), BATCH):
            with database.change() as change:
                done += sum(_rewrap(change, keyring, each) for each in old[start : start + BATCH])
    return done


def unneeded(database: ControlDatabase, source: Source) -> tuple[str, ...]:
    """The ids of the keys that neither seal nor have sealed anything that is there."""
    with database.change() as change:
        return tuple(key.id for key in _split(change, source)[1])


def prune(database: ControlDatabase, source: Source) -> Replaced:
    """Take away the keys that are not needed. Raises SecretError and DatabaseError."""
    with database.change() as change:
        kept, gone = _split(change, source)
        for key in gone:
            canary.forget(change, key.id)
        if isinstance(source, KeyFile) and gone:
            source.store(kept)
    ids = tuple(key.id for key in gone)
    return Replaced(ids, None if isinstance(source, KeyFile) else written(kept))


def _rewrap(change: Transaction, keyring: Keyring, each: Sealed) -> int:
    """The number of texts that were replaced: none when it is not any more what it was."""
    text = keyring.seal(keyring.open(each.text, each.bound_to), each.bound_to)
    return change.write(each.replace, (text, each.row, each.text))


def _split(change: Transaction, source: Source) -> tuple[Sequence[MasterKey], Sequence[MasterKey]]:
    """The keys that are needed, and those that are not."""
    keys = source.load()
    used = {each.key for each in sealed_texts(change)} | {keys[0].id}
    return [key for key in keys if key.id in used], [key for key in keys if key.id not in used]
