"""The pointer of a site: which release readers have, and how long styles of former ones are answered."""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from server.releases.release import DamagedRelease
from server.struct_types import prepare

GRACE = 24 * 3600
"""Seconds for which a page that a reader has open may ask for styles and scripts of its release."""
_MOST_FORMER = 32
"""Releases whose styles are answered at once: a site may be published every minute."""
HASHED = re.compile(r"_tp/(?:[a-z0-9-]+/)?[a-z0-9-]+\.[0-9a-f]{8,}\.(?:css|js)")
"""Styles and scripts that are named by their content; nothing else of a former release is answered, as all
else holds text that may have been withdrawn."""


class FormerRelease(Struct, frozen=True):
    """A release that was live; its styles are answered until then (whole seconds since 1970, UTC)."""

    number: int
    until: int


class Pointer(Struct, frozen=True):
    """`live` is the number of the release that readers have, 0 for none. `latest` is the newest one's.

    `pinned` says that a new release does not take its place: its owner has rolled back to it. `offline` says
    that the owner has taken the site offline.
    """

    live: int = 0
    latest: int = 0
    pinned: bool = False
    offline: bool = False
    since: int = 0
    former: tuple[FormerRelease, ...] = ()


prepare(Pointer)


def encode(pointer: Pointer) -> bytes:
    """Return the pointer as bytes."""
    return msgspec.json.encode(pointer)


def decode(data: bytes) -> Pointer:
    """Read a pointer. Raises DamagedRelease."""
    try:
        return msgspec.json.decode(data, type=Pointer)
    except msgspec.DecodeError as error:
        raise DamagedRelease(f"the pointer of a site cannot be read: {error}") from None


def added(pointer: Pointer, number: int, now: int) -> Pointer:
    """Return the pointer when a release has come: readers have it, unless another one is pinned."""
    newer = replace(pointer, latest=max(number, pointer.latest))
    return newer if pointer.pinned else pointed(newer, number, now, pinned=False)


def pointed(pointer: Pointer, number: int, now: int, *, pinned: bool) -> Pointer:
    """Return the pointer when readers have the release with this number from now on."""
    return replace(
        pointer,
        live=number,
        pinned=pinned,
        offline=False,
        since=now if number != pointer.live else pointer.since,
        former=_former(pointer, number, now),
    )


def taken_offline(pointer: Pointer, now: int) -> Pointer:
    """Return the pointer when readers have nothing any more, not even styles of former releases."""
    return replace(pointer, live=0, pinned=False, offline=True, since=now, former=())


def _former(pointer: Pointer, number: int, now: int) -> tuple[FormerRelease, ...]:
    """Return the releases before this one whose time is not over, the last one first."""
    before = tuple(each for each in pointer.former if each.until > now and each.number != number)
    if pointer.live and pointer.live != number:
        others = tuple(each for each in before if each.number != pointer.live)
        before = (FormerRelease(pointer.live, now + GRACE), *others)
    return before[:_MOST_FORMER]
