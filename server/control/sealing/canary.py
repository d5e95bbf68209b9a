"""A canary for each master key: a known text that it has sealed, by which a wrong key is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from server.control.errors import SealBroken, WrongMasterKey
from server.control.sealing.keyring import MISSING
from server.control.sealing.master_key import MasterKey
from server.control.sealing.places import sealed_texts, setting
from server.control.sealing.seal import seal, unseal
from server.control.sqlite.database import Transaction

PREFIX = "canary:"
SONG = "twinpress"


def keep(change: Transaction, keys: Sequence[MasterKey]) -> None:
    """Give each key its canary."""
    for key in keys:
        name = PREFIX + key.id
        if not change.read("SELECT name FROM settings WHERE name = ?", (name,)):
            sealed = seal(key, SONG, setting(name))
            change.write("INSERT INTO settings (name, value) VALUES (?, ?)", (name, sealed))


def forget(change: Transaction, key: str) -> None:
    """Take the canary of the key with this id away."""
    change.write("DELETE FROM settings WHERE name = ?", (PREFIX + key,))


def there(change: Transaction) -> dict[str, str]:
    """The canaries by the ids of their keys."""
    rows = change.read("SELECT name, value FROM settings WHERE name LIKE 'canary:%'")
    return {str(name).removeprefix(PREFIX): str(value) for name, value in rows}


def refuse_wrong(change: Transaction, keys: Sequence[MasterKey], where: str) -> None:
    """Raises WrongMasterKey when a key is not what it was, or one that sealed something is missing."""
    canaries = there(change)
    for key in keys:
        if key.id in canaries:
            _hear(key, canaries[key.id], where)
    known = {key.id for key in keys}
    for name, count in sorted(Counter(each.key for each in sealed_texts(change)).items()):
        if name not in known:
            message = f"the master key `{name}` is missing, with which {count} secrets are sealed"
            raise WrongMasterKey(message, path=where, hint=MISSING)
    if canaries and not known & canaries.keys():
        names = ", ".join(f"`{name}`" for name in sorted(canaries))
        message = f"these are other master keys than those of this database ({names})"
        raise WrongMasterKey(message, path=where, hint=MISSING)


def _hear(key: MasterKey, canary: str, where: str) -> None:
    try:
        unseal(key, canary, setting(PREFIX + key.id))
    except SealBroken:
        message = f"the master key `{key.id}` is not the one that sealed the secrets of this database"
        raise WrongMasterKey(message, path=where, hint=MISSING) from None
