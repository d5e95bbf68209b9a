"""Cursors: the start of a list's next page, as a text that clients hand back without looking into it."""

from __future__ import annotations

import base64
import binascii

from server.http.failure import Failure

_KIND = "databases:"
_DIGITS = 18
"""More than any number has, and less than the control database can compare."""


def encode(number: int) -> str:
    """The cursor that stands behind the database with this number."""
    return base64.urlsafe_b64encode(f"{_KIND}{number}".encode()).decode().rstrip("=")


def decode(cursor: str) -> int:
    """The number. Raises Failure for what is no cursor of ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        text = ""
    number = text.removeprefix(_KIND)
    if text == number or not number.isdecimal() or len(number) > _DIGITS:
        raise Failure("INVALID_QUERY", "cursor: this is no `next_cursor` of this list")
    return int(number)
