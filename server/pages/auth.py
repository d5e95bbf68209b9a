"""Who asks: the key in a request, and through it the one site that it may speak of."""

from __future__ import annotations

from aiohttp import hdrs, web

from server.control.errors import BadKey, DisabledKey, ExpiredKey
from server.control.keys import Keys
from server.control.records import KeyRecord
from server.control.sites import LocalSite
from server.pages.failure import Failure

KEY = web.RequestKey("key", KeyRecord)
"""Where a request that passed has its key."""

_SCHEME = "bearer"
_UNKNOWN = "this is no key of this site: send the whole key, or ask the owner for a new one"


def key_of(request: web.Request) -> str:
    """The text of the key. Raises Failure with `MISSING_KEY`, or `BAD_KEY` when there are several."""
    given = request.headers.getall(hdrs.AUTHORIZATION, [])
    if not given:
        raise Failure("MISSING_KEY", "send the header `Authorization: Bearer <KEY>`")
    scheme, _, text = given[0].strip().partition(" ")
    if scheme.lower() != _SCHEME or not text.strip():
        raise Failure("MISSING_KEY", "send the key as `Authorization: Bearer <KEY>`")
    if len(given) > 1:
        raise Failure("BAD_KEY", "send one `Authorization` header")
    return text.strip()


def check(keys: Keys, text: str, site: LocalSite) -> KeyRecord:
    """The key's record. Raises Failure unless the key is good, and of this site."""
    try:
        record = keys.check(text)
    except ExpiredKey as error:
        raise Failure("KEY_EXPIRED", "the key has expired: ask the owner for a new one") from error
    except DisabledKey as error:
        raise Failure("KEY_DISABLED", "the key is disabled: its owner can enable it again") from error
    except BadKey as error:
        raise Failure("BAD_KEY", _UNKNOWN) from error
    if record.site != site.id and record.site != site.now():
        raise Failure("BAD_KEY", _UNKNOWN)
    return record
