"""The keyring: seals secrets with the newest master key, and opens what any of them has sealed.

Safe to use from several threads. Seal within the change that writes the result (`ControlDatabase.change`):
only then can no other process take a key away between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from server.control.errors import WrongMasterKey
from server.control.sealing import seal
from server.control.sealing.environment import EnvironmentKeys
from server.control.sealing.key_file import KeyFile, Stamp
from server.control.sealing.master_key import MasterKey

Source = KeyFile | EnvironmentKeys


@dataclass(frozen=True, slots=True)
class _Loaded:
    stamp: Stamp | None
    newest: MasterKey
    all: Mapping[str, MasterKey] = field(repr=False)


class Keyring:
    """The master keys of a source, which may get others while the program runs."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._loaded = _load(source, {})

    @property
    def newest(self) -> str:
        """The id of the key that seals now."""
        return self._fresh().newest.id

    def seal(self, text: str, bound_to: str) -> str:
        """The text sealed for the place `bound_to`. Raises SecretError when the keys cannot be read anew."""
        return seal.seal(self._fresh().newest, text, bound_to)

    def open(self, sealed: str, bound_to: str) -> str:
        """The text that was sealed for this place.

        Raises SealBroken, and WrongMasterKey when the key that sealed it is not among those of now.
        """
        name = seal.key_id(sealed, bound_to)
        key = self._loaded.all.get(name) or self._fresh().all.get(name)
        if key is None:
            raise WrongMasterKey(
                f"the master key `{name}` is missing, with which this was sealed", path=bound_to, hint=MISSING
            )
        return seal.unseal(key, sealed, bound_to)

    def _fresh(self) -> _Loaded:
        if self._source.stamp() != self._loaded.stamp:
            # What was known stays: a value that was read before it was sealed anew is still to be opened.
            self._loaded = _load(self._source, self._loaded.all)
        return self._loaded


MISSING = "restore the key from a copy of the master keys of the time when the secret was sealed"


def _load(source: Source, known: Mapping[str, MasterKey]) -> _Loaded:
    stamp = source.stamp()  # before the keys: what is written in between is seen the next time
    keys = source.load()
    for key in keys:
        if known.get(key.id, key).key != key.key:
            raise WrongMasterKey(f"the master key `{key.id}` has changed", hint=MISSING)
    return _Loaded(stamp, keys[0], {**known, **{key.id: key for key in keys}})
