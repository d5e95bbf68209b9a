"""Authenticate a request: its management key, and through it the one account that it may speak of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web
from msgspec import Struct, field

from server.control.errors import BadKey, DisabledKey
from server.control.keys.key_text import MANAGEMENT
from server.control.keys.management_key import ManagementKey
from server.control.keys.management_keys import ManagementKeys
from server.http.failure import Failure
from server.http.limits import AtOnce, RateLimit

KEY = web.RequestKey("management_key", ManagementKey)
"""Where a request that passed has its key."""


AT_ONCE = 16
"""Requests of one key that may be on their way: far fewer than there are connections for all of them."""


class AccountAuthentication(Struct, frozen=True):
    """Lets in who has a management key, `requests` times a minute; 0 is no limit."""

    keys: ManagementKeys
    requests: int
    rate: RateLimit
    at_once: AtOnce = field(default_factory=AtOnce)

    @property
    def place(self) -> web.RequestKey[ManagementKey]:
        """`KEY`."""
        return KEY

    def check(self, text: str) -> ManagementKey:
        """The key's record. Raises Failure unless the key is active."""
        try:
            return self.keys.check(text)
        except DisabledKey as error:
            raise Failure(
                "KEY_DISABLED", f"{error.message}; the operator of the service can say why"
            ) from error
        except BadKey as error:
            raise Failure(
                "BAD_KEY", "this is no management key: it may have been rotated or deleted since"
            ) from error

    @contextmanager
    def request(self, record: ManagementKey) -> Iterator[None]:
        """Count one request, for the time of the block. Raises Failure with `RATE_LIMITED`."""
        self.rate.take(record.id, self.requests, "management key")
        with self.at_once.one(record.id, AT_ONCE, "management key"):
            yield

    def named(self, record: ManagementKey) -> str:
        """Its kind and last characters."""
        return f"{MANAGEMENT}…{record.last_four}"
