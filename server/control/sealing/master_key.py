"""Master keys and how they are written: `id:base64`, 32 bytes each, the one that seals first."""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from server.control import base62
from server.control.errors import InvalidMasterKeys

SIZE, ID_LENGTH = 32, 8
_ID = re.compile(r"[0-9A-Za-z_-]{1,32}")
_FORM = "write `id:base64` for each key, with 32 bytes in base64: `openssl rand -base64 32` prints them"


@dataclass(frozen=True, slots=True)
class MasterKey:
    """A key of AES-256 and the id by which what it sealed names it."""

    id: str
    key: bytes = field(repr=False)


def generate() -> MasterKey:
    """A new key with an id of its own."""
    return MasterKey(base62.random(ID_LENGTH), secrets.token_bytes(SIZE))


def parse(text: str, where: str) -> tuple[MasterKey, ...]:
    """The keys in a text: divided by commas or lines, of which those that begin with `#` are left out.

    Raises InvalidMasterKeys, which says the place `where` and no part of the text.
    """
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    words = [word.strip() for line in lines for word in line.split(",") if word.strip()]
    keys = tuple(_parse(word, number, where) for number, word in enumerate(words, 1))
    if not keys:
        raise InvalidMasterKeys("there is no master key", path=where, hint=_FORM)
    if len({key.id for key in keys}) < len(keys):
        raise InvalidMasterKeys("two master keys have the same id", path=where, hint="give each its own")
    return keys


def written(keys: Iterable[MasterKey], separator: str = ",") -> str:
    """The keys as `parse` reads them: the secret itself."""
    return separator.join(f"{key.id}:{base64.b64encode(key.key).decode()}" for key in keys)


def _parse(word: str, number: int, where: str) -> MasterKey:
    name, _, encoded = word.partition(":")
    try:
        key = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not _ID.fullmatch(name) or len(key) != SIZE:
        raise InvalidMasterKeys(f"master key number {number} cannot be read", path=where, hint=_FORM)
    return MasterKey(name, key)
