"""Cursors: how far a client has come in one list or text. A forged one leads to nothing that is not public.

It holds the place, and a digest of what it is a place in: after a change it is none any more, so that nothing
is left out or told twice without a word.
"""

from __future__ import annotations

import re
from hashlib import blake2b

_CURSOR = re.compile(r"([1-9][0-9]{0,8})-([0-9a-f]{16})", re.ASCII)


class BadCursor(Exception):
    """A cursor that was not given for this."""


def cursor(place: int, *parts: str) -> str:
    """Return the cursor of a place in what these parts tell."""
    return f"{place}-{_digest(parts)}"


def place(given: str | None, *parts: str) -> int:
    """Return the place of a cursor, 0 without one. Raises BadCursor."""
    if given is None:
        return 0
    found = _CURSOR.fullmatch(given)
    if found is None or found[2] != _digest(parts):
        raise BadCursor
    return int(found[1])


def _digest(parts: tuple[str, ...]) -> str:
    told = "\0".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(told.encode(errors="replace"), digest_size=8).hexdigest()
