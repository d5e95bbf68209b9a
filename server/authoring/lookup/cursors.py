"""Cursors: the place at which a list goes on, as a text that clients give back as it is.

Whoever makes one up gets another place of the same list, or is refused: it opens nothing.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TypeVar

import msgspec

from server.http.failure import Failure

T = TypeVar("T")


def cursor_of(place: object) -> str:
    """Return a place as a cursor."""
    return urlsafe_b64encode(msgspec.msgpack.encode(place)).decode().rstrip("=")


def place_of(cursor: str, kind: type[T]) -> T:
    """Return the place that a cursor of this kind tells. Raises Failure for what is none."""
    try:
        data = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        return msgspec.msgpack.decode(data, type=kind)
    except (ValueError, binascii.Error, msgspec.MsgspecError, RecursionError):
        message = "cursor: this is none of a list here (give `next_cursor` back as it is, or leave it out)"
        raise Failure("INVALID_QUERY", message) from None
