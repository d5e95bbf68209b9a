"""One request to an API, as the log has it."""

from __future__ import annotations

import re
from collections.abc import Callable

from aiohttp import web
from msgspec import Struct

from builder.redaction import redacted

_ENCODED = re.compile(r"%(3\d|[46][1-9a-f]|[57][0-9a]|5f)", re.IGNORECASE)
"""A letter, digit or `_` that need not be percent-encoded."""


GONE = 499
"""The status in the log of a request whose client left before the answer."""


class LoggedRequest(Struct, frozen=True):
    """One request, for the log, without secrets: `key` names the key by its kind and last characters.

    It stands for so many `more` like it, which were left out since the last line. `area` is the API or other
    part of the service that has answered, `route` the form of the address, `client` the address that limits
    count. One that is quiet is counted, and not worth a line.
    """

    id: str
    method: str
    path: str
    status: int
    seconds: float
    key: str
    more: int = 0
    area: str = ""
    route: str = ""
    client: str = ""
    is_quiet: bool = False


Log = Callable[[LoggedRequest], None]


def client_of(request: web.BaseRequest) -> str:
    """Return the address that limits count a request for; "" for this machine, and for an unknown one."""
    address: str = getattr(request.protocol, "address", "")
    return address


def shown(target: str) -> str:
    """An address without keys, also without those whose letters are percent-encoded."""
    return redacted(_ENCODED.sub(lambda found: chr(int(found[1], 16)), target))
