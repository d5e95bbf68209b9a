"""The connections that are open: how many there may be, and which of them makes way for another."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Protocol

from msgspec import Struct, field

from server.http.failure import Failure
from server.http.keyless_limits import KeylessLimits, crowded
from server.http.slow_readers import UnreadBytes

TOO_MANY = Failure("TOO_BUSY", "too many connections are open: try again", {"Retry-After": "1"})
SPARE = 2
"""As many times the usual connections may be open while those that do not read are within their grace."""
ROOMY = 0.8
"""The share of all connections up to which nobody need make way."""
SWEEP, LOOK = 1.0, 0.0001
"""Seconds between two looks at all connections; and for each of them, between those that newcomers cause: a
look at one takes some microseconds."""

FAREWELL, PARTING = 5.0, 100
"""Seconds that a client gets to read why it is refused, and how many get them at a time."""


class Wire(Struct, frozen=True):
    """Limits of open connections, of one client and of all, and the seconds that one gets.

    It gets them for a request's head, to be idle, and to take something of what it is sent. The last are
    fewer in a crowd, where those that take nothing make way.
    """

    connections: int = 500
    head_seconds: float = 10.0
    idle_seconds: float = 75.0
    stall_seconds: float = 30.0
    grace_seconds: float = 1.0
    visitors: KeylessLimits = field(default_factory=KeylessLimits)


class Guest(Protocol):
    """A connection in the room."""

    address: str
    """Whose it is; "" for one under no limit."""
    opened: float
    """When it came."""

    @property
    def outflow(self) -> UnreadBytes:
        """The bytes that its client takes."""

    @property
    def idle(self) -> bool:
        """True if it waits for a request, and none has come yet."""

    @property
    def served(self) -> bool:
        """True if it has had a request."""

    def abort(self) -> None:
        """End at once, whatever is on its way."""

    def make_way(self, failure: Failure) -> None:
        """End, when what is on its way has left; who has yet to ask is told why."""


class Room:
    """For one event loop."""

    def __init__(self, wire: Wire, clock: Callable[[], float] = time.monotonic) -> None:
        self.wire = wire
        self._clock = clock
        self._open: dict[Guest, None] = {}  # the oldest first
        self._of = Counter[str]()
        self._looked = 0.0
        self._parting = 0
        self._sweep: asyncio.TimerHandle | None = None

    def refusal(self, address: str) -> Failure | None:
        """Refuse a further connection of this address, with the reason; None when it may be open.

        Another one may have been ended for that.
        """
        failure = self.excess(address)
        if failure is not None and not self._make_way(self._mine(address)):
            return failure
        if len(self._open) < self.wire.connections or self._make_way(self._open, spare=True):
            return None
        return TOO_MANY

    def excess(self, address: str) -> Failure | None:
        """Return the reason why this address may have no further connection, if any."""
        most = self.wire.visitors.at_most(address)
        return crowded(most) if most and self._of[address] >= most else None

    def enter(self, guest: Guest) -> None:
        """It is open."""
        self._open[guest] = None
        self._count(guest.address, 1)
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(SWEEP, self.sweep)

    def move(self, guest: Guest, address: str) -> None:
        """It is somebody else's now."""
        if guest in self._open:
            self._count(guest.address, -1)
            self._count(address, 1)
        guest.address = address

    def leave(self, guest: Guest) -> None:
        """It has ended."""
        if guest in self._open:
            del self._open[guest]
            self._count(guest.address, -1)

    def part(self, transport: asyncio.Transport) -> None:
        """Close a connection on which the last answer is on its way, as soon as the client has.

        The operating system would break it off, and the answer with it, if something came that nobody reads.
        """
        if self._parting >= PARTING or transport.is_closing():
            transport.close()
            return
        try:
            transport.write_eof()
        except OSError:  # the client has broken it off
            transport.abort()
            return
        self._parting += 1
        asyncio.get_running_loop().call_later(FAREWELL, self._parted, transport)

    def _parted(self, transport: asyncio.Transport) -> None:
        self._parting -= 1
        transport.abort()

    def sweep(self) -> None:
        """End those whose client takes nothing, at once where others may need their place."""
        loop, self._sweep = asyncio.get_running_loop(), None
        now = self._look(0.0)
        for guest in self._stuck(self._open):
            waits = now - guest.outflow.since
            full = len(self._open) > ROOMY * self.wire.connections
            if waits >= (self.wire.grace_seconds if full else self.wire.stall_seconds):
                self._abort(guest)
        if self._open:
            self._sweep = loop.call_later(SWEEP, self.sweep)

    def _make_way(self, guests: Iterable[Guest], *, spare: bool = False) -> bool:
        """Return whether there is room now; one of these may have been ended for it.

        That is the one that has taken nothing for longest, or else the oldest that does nothing. With `spare`
        there may be more for as long as others are about to make way.
        """
        now = self._look(LOOK * len(self._open))
        stuck = self._stuck(guests)
        full = spare and len(self._open) >= SPARE * self.wire.connections
        grace = 0.0 if full else self.wire.grace_seconds
        if self._end_longest(stuck, now, grace) or self._end_idle(guests, now, grace):
            return True
        # Who has come just now, or takes nothing, makes way soon if nothing more comes of it.
        soon = len(stuck) + sum(not guest.served for guest in guests)
        return spare and not full and len(self._open) - self.wire.connections < soon

    def _end_idle(self, guests: Iterable[Guest], now: float, grace: float) -> bool:
        """End the oldest one that does nothing; one that has come just now has a moment to ask."""
        for guest in guests:
            if (guest.served or now - guest.opened >= grace) and guest.idle:
                self.leave(guest)
                guest.make_way(TOO_MANY)
                return True
        return False

    def _end_longest(self, stuck: list[Guest], now: float, grace: float) -> bool:
        """End the one that has taken nothing for longest, unless it has by now or is within its grace."""
        for guest in stuck:
            if now - guest.outflow.since < grace:
                break
            guest.outflow.look(now)
            if guest.outflow.waits and now - guest.outflow.since >= grace:
                self._abort(guest)
                return True
        return False

    def _look(self, age: float) -> float:
        """Look at all connections unless that is so many seconds ago; gives the time."""
        now = self._clock()
        if now - self._looked >= age:
            self._looked = now
            for guest in self._open:
                guest.outflow.look(now)
        return now

    def _abort(self, guest: Guest) -> None:
        self.leave(guest)  # it is lost for the event loop a little later
        guest.abort()

    def _mine(self, address: str) -> list[Guest]:
        return [guest for guest in self._open if guest.address == address]

    def _count(self, address: str, by: int) -> None:
        self._of[address] += by
        if not self._of[address]:
            del self._of[address]

    @staticmethod
    def _stuck(guests: Iterable[Guest]) -> list[Guest]:
        """Those that have something to take, the one that took nothing for longest first."""
        return sorted(
            (guest for guest in guests if guest.outflow.waits), key=lambda guest: guest.outflow.since
        )
