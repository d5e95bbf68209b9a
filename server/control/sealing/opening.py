"""Open a program's keyring: from the environment, else from a file, which the first start makes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from server.control.errors import WrongMasterKey
from server.control.sealing import canary
from server.control.sealing.environment import MASTER_KEYS, EnvironmentKeys
from server.control.sealing.key_file import KeyFile
from server.control.sealing.keyring import Keyring, Source
from server.control.sealing.master_key import generate
from server.control.sealing.places import sealed_texts
from server.control.sqlite.database import ControlDatabase, Transaction

NAME = "master.keys"


def source_of(folder: Path, environment: Mapping[str, str] | None = None) -> Source:
    """The keys in TWINPRESS_MASTER_KEYS, else those in `folder`/master.keys. Raises InvalidMasterKeys.

    A variable that is set and empty is an error: what a new file seals, the right keys could not open.
    """
    text = (os.environ if environment is None else environment).get(MASTER_KEYS)
    return KeyFile(folder / NAME) if text is None else EnvironmentKeys(text)


def open_keyring(
    database: ControlDatabase, folder: Path, environment: Mapping[str, str] | None = None
) -> Keyring:
    """The keyring for the secrets in a database; the file of master keys is made when there is nothing yet.

    Raises SecretError: InvalidMasterKeys, UnsafeMasterKeys, or WrongMasterKey: one is missing or wrong.
    """
    source = source_of(folder, environment)
    with database.change() as change:
        _first(change, source)
        keys = source.load()
        canary.refuse_wrong(change, keys, where(source))
        canary.keep(change, keys)
    return Keyring(source)


def where(source: Source) -> str:
    """The place of the keys, for people."""
    return str(source.path) if isinstance(source, KeyFile) else MASTER_KEYS


def _first(change: Transaction, source: Source) -> None:
    if isinstance(source, EnvironmentKeys) or source.stamp() is not None:
        return
    if canary.there(change) or any(True for _ in sealed_texts(change)):
        raise WrongMasterKey(
            "the file of the master keys is missing, and the database has secrets that were sealed with it",
            path=str(source.path),
            hint=f"restore the file from a copy, or put its keys into {MASTER_KEYS}",
        )
    source.make([generate()])
