"""Find the site that a request may speak of, by its key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web
from msgspec import Struct, field

from server.authoring.site_key_limits import ClientLimits
from server.control.errors import BadKey, DisabledKey, ExpiredKey
from server.control.keys.key_record import KeyRecord
from server.control.keys.site_keys import SiteKeys
from server.control.sites import LocalSite
from server.http.failure import Failure
from server.http.limits import AtOnce, RateLimit

KEY = web.RequestKey("key", KeyRecord)
"""Where a request that passed has its key."""

_UNKNOWN = "this is no key of this site: send the whole key, or ask the owner for a new one"
_BROUGHT = "the site came with this key, and is served with --safe: ask the owner for a new one"


class SiteAuthentication(Struct, frozen=True):
    """Lets in who has a key of one site, as often as its `limits` say; without a `site`, of any that is here.

    Keys whose ids are in `brought` open nothing: somebody else's site came with them.
    """

    keys: SiteKeys
    site: LocalSite | None
    limits: ClientLimits
    rate: RateLimit
    at_once: AtOnce = field(default_factory=AtOnce)
    brought: frozenset[str] = frozenset()

    @property
    def place(self) -> web.RequestKey[KeyRecord]:
        """`KEY`."""
        return KEY

    def check(self, text: str) -> KeyRecord:
        """The key's record. Raises Failure unless the key is good, and of this site."""
        try:
            record = self.keys.check(text)
        except ExpiredKey as error:
            raise Failure("KEY_EXPIRED", "the key has expired: ask the owner for a new one") from error
        except DisabledKey as error:
            raise Failure("KEY_DISABLED", "the key is disabled: its owner can enable it again") from error
        except BadKey as error:
            raise Failure("BAD_KEY", _UNKNOWN) from error
        if self.site and record.site != self.site.id and record.site != self.site.now():
            raise Failure("BAD_KEY", _UNKNOWN)
        if record.id in self.brought:
            raise Failure("BAD_KEY", _BROUGHT)
        return record

    @contextmanager
    def request(self, record: KeyRecord) -> Iterator[None]:
        """Count one request, for the time of the block. Raises Failure with `RATE_LIMITED`."""
        kind = f"{record.kind} key"
        self.rate.take(record.id, self.limits.requests[record.kind], kind)
        with self.at_once.one(record.id, self.limits.at_once, kind):
            yield

    def named(self, record: KeyRecord) -> str:
        """Its kind and last characters."""
        return f"{record.prefix}…{record.last_four}"
