"""One request to an API, as the log has it."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from server.control.keys.key_text import redacted

_ENCODED = re.compile(r"%(3\d|[46][1-9a-f]|[57][0-9a]|5f)", re.IGNORECASE)
"""A letter, digit or `_` that need not be percent-encoded."""


class LoggedRequest(Struct, frozen=True):
    """One request, for the log, without secrets: `key` names the key by its kind and last characters.

    It stands for so many `more` like it, which were left out since the last line.
    """

    id: str
    method: str
    path: str
    status: int
    seconds: float
    key: str
    more: int = 0


Log = Callable[[LoggedRequest], None]


def shown(target: str) -> str:
    """An address without keys, also without those whose letters are percent-encoded."""
    return redacted(_ENCODED.sub(lambda found: chr(int(found[1], 16)), target))
