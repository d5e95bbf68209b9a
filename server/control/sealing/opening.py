"""Open a program's keyring: from the environment, else from a file, which the first start makes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from server.control.errors import InvalidMasterKeys, WrongMasterKey
from server.control.sealing import canary
from server.control.sealing.environment import MASTER_KEYS, MASTER_KEYS_FILE, EnvironmentKeys
from server.control.sealing.key_file import KeyFile
from server.control.sealing.keyring import Keyring, Source
from server.control.sealing.master_key import generate
from server.control.sealing.places import sealed_texts
from server.control.sqlite.database import ControlDatabase, Transaction

NAME = "master.keys"


def source_of(folder: Path, environment: Mapping[str, str] | None = None) -> Source:
    """The keys in TWINPRESS_MASTER_KEYS, or in the file that TWINPRESS_MASTER_KEYS_FILE names, else those in
    `folder`/master.keys. Raises InvalidMasterKeys.

    A variable that is set and empty is an error: what a new file seals, the right keys could not open.
    """
    given = os.environ if environment is None else environment
    text, path = given.get(MASTER_KEYS), given.get(MASTER_KEYS_FILE)
    if text is not None and path is not None:
        message = f"both {MASTER_KEYS} and {MASTER_KEYS_FILE} are set"
        raise InvalidMasterKeys(message, hint="set one of them")
    if path is not None:
        return EnvironmentKeys(_text(path), path or MASTER_KEYS_FILE)
    return KeyFile(folder / NAME) if text is None else EnvironmentKeys(text)


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        message = f"the file that {MASTER_KEYS_FILE} names cannot be read: {why}"
        hint = "correct the variable, or the rights of the file"
        raise InvalidMasterKeys(message, path=path, hint=hint) from None


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
    if isinstance(source, KeyFile):
        return str(source.path)
    return source.place


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
