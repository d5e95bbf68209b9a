"""How much one client may ask for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from msgspec import Struct, field

from server.pages.failure import Failure


class Limits(Struct, frozen=True):
    """`requests` are those a key of each kind may make in a minute; 0 is no limit. `pages` are a site's."""

    body_bytes: int = 4 * 1024 * 1024
    body_seconds: float = 30.0
    pages: int = 10_000
    requests: Mapping[str, int] = field(default_factory=lambda: {"one-off": 300, "long-lived": 3_000})


class RateLimit(Struct):
    """A bucket for each key: it holds a minute's requests and fills evenly."""

    limits: Limits
    clock: Callable[[], float] = time.monotonic
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, key: str, kind: str) -> None:
        """Count one request. Raises Failure with `Retry-After` when there is none left."""
        most = self.limits.requests[kind]
        if not most:
            return
        now = self.clock()
        left, then = self._buckets.get(key, (float(most), now))
        left = min(float(most), left + (now - then) * most / 60)
        self._buckets[key] = (max(left - 1, left % 1), now)
        if left < 1:
            wait = math.ceil((1 - left) * 60 / most)
            message = f"a {kind} key may make {most:,} requests in a minute; wait {wait} s"
            raise Failure("RATE_LIMITED", message, {"Retry-After": str(wait)})
