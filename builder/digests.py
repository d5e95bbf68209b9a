"""Digests of values: what has the same one is the same."""

from __future__ import annotations

import hashlib

import msgspec
from markupsafe import Markup

SIZE = 16
"""Bytes of a digest."""


def digest(*values: object) -> bytes:
    """A digest of values that msgspec can encode. Raises what it raises for those that it cannot."""
    return hashlib.blake2b(msgspec.msgpack.encode(values, enc_hook=_plain), digest_size=SIZE).digest()


def _plain(value: object) -> object:
    if isinstance(value, Markup):
        return str.__str__(value)
    raise TypeError(f"no digest can be made of {type(value).__name__}")
