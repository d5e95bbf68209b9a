"""Bounds on what one client of a site may ask for."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from server.http.limits import BodyLimits


class ClientLimits(BodyLimits, frozen=True):
    """`requests` are those a key of each kind may make in a minute; 0 is no limit. `pages` are a site's.

    A key may have `at_once` requests on their way at a time.
    """

    pages: int = 10_000
    at_once: int = 100
    requests: Mapping[str, int] = field(default_factory=lambda: {"one-off": 300, "long-lived": 3_000})
