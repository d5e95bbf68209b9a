"""Bounds on what one client may ask for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct, field

from server.http.buckets import Buckets, OwnBuckets
from server.http.failure import Failure


class BodyLimits(Struct, frozen=True):
    """Limits of the size of a request's body, and of the time that it may take to arrive."""

    body_bytes: int = 4 * 1024 * 1024
    body_seconds: float = 30.0


class RateLimit(Struct):
    """A bucket for each key: it holds a minute's requests and fills evenly. To be used in one thread."""

    clock: Callable[[], float] = time.monotonic
    buckets: Buckets = field(default_factory=OwnBuckets)

    def take(self, key: str, most: int, kind: str = "key") -> None:
        """Count one request of a key, which may make `most` in a minute; 0 is no limit.

        Raises Failure with `Retry-After` when there is none left; `kind` is what such a key is called.
        """
        if not most:
            return
        with self.buckets.turn():
            now = self.clock()
            left, then = self.buckets.get(key, now) or (float(most), now)
            left = min(float(most), left + (now - then) * most / 60)
            self.buckets.set(key, (max(left - 1, left % 1), now))
        if left < 1:
            wait = math.ceil((1 - left) * 60 / most)
            message = f"a {kind} may make {most:,} requests in a minute; wait {wait} s"
            raise Failure("RATE_LIMITED", message, {"Retry-After": str(wait)})


class AtOnce(Struct):
    """The number of requests of each key that are on their way. To be used in one thread."""

    _running: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def one(self, key: str, most: int, kind: str = "key") -> Iterator[None]:
        """A request of a key, for the time of the block; there may be `most` at a time.

        Raises Failure with `Retry-After` when there are as many; `kind` is what such a key is called.
        """
        running = self._running.get(key, 0)
        if running >= most:
            message = f"a {kind} may have {most:,} requests on their way at a time; wait for one of them"
            raise Failure("RATE_LIMITED", message, {"Retry-After": "1"})
        self._running[key] = running + 1
        try:
            yield
        finally:
            self._end(key)

    def _end(self, key: str) -> None:
        left = self._running.pop(key) - 1
        if left:
            self._running[key] = left
