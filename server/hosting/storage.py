"""The storage of databases: their sizes, and the limits that follow.

From 80 % of what the plan allows the record has a warning. At 100 % nothing new can be made, and sessions
begin read-only: who asks for it can still delete rows. Both ends below 95 %, so that it does not flicker.

Who asks for it can also insert, as PostgreSQL knows no limit of a database's size. So one that grows beyond
110 % is shut for a minute: nobody logs in. It is let in again to make room, and each time that it grows
instead, it is shut for twice as long.

`VACUUM FULL` makes room by writing a table anew before the old one goes. Until it is done, a database may
take twice as much; what counts is how large it is then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct, field

from server.control.plans import Plans
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted, shut_database
from server.hosting.hosted import Hosted
from server.postgres.errors import EngineError
from server.postgres.tenants.provisioning import Provisioner

WARNING, FULL, RELIEVED, FAR = 0.80, 1.00, 0.95, 1.10
"""Parts of the limit."""
SLACK = 0.10
"""Part of the limit by which one that was shut may grow afterwards: making room takes some at first."""
ANEW = 2 * FAR
"""Part of the limit that it may take while a table of it is written anew."""
LONGEST_ANEW = 300
"""Seconds for which it may, which is as long as a statement may take: another one could follow at once."""
NEAR = 0.5
"""Part of the limit from which on a database is looked at often."""

Storage = Literal["ok", "warning", "full"]
_LOG = logging.getLogger("twinpress.hosting")


def storage(row: Hosted, plans: Plans) -> Storage:
    """Return what its size means for a database."""
    if row.full:
        return "full"
    near = (row.size_bytes or 0) >= WARNING * row.limits(plans).storage_bytes
    return "warning" if near else "ok"


def is_full(row: Hosted, size: int, plans: Plans) -> bool:
    """Return whether a database of this size may grow no more."""
    return size >= (RELIEVED if row.full else FULL) * row.limits(plans).storage_bytes


class StorageQuota(Struct, frozen=True):
    """Looks at sizes regularly. `clock` gives the seconds since 1970.

    `anew` says since when a database has been beyond its limit as a table of it is written anew.
    """

    control: ControlDatabase
    provisioner: Provisioner
    plans: Plans
    clock: Callable[[], float]
    anew: dict[str, float] = field(default_factory=dict)

    def run(self) -> None:
        """Look at all once. Raises EngineError when sizes cannot be had, and DatabaseError.

        What a full one may have given back to itself is taken again.
        """
        sizes = self.provisioner.sizes()
        for row in self._look_at(sizes, hosted.every(self.control)):
            with self._going_on(row):
                self.provisioner.keep_full(row.id)

    def run_near(self) -> None:
        """Look once at those that were near their limit, or beyond it, or are so while they are busy.

        Raises as `run`.
        """
        busy = self.provisioner.busy()
        found = [row for row in hosted.every(self.control) if self._is_near(row) or row.id in busy]
        if found:
            sizes = self.provisioner.sizes([row.id for row in found])
            self._look_at(sizes, [row for row in found if self._is_near(row, sizes.get(row.id, 0))])

    def _is_near(self, row: Hosted, size: int = 0) -> bool:
        largest = max(row.size_bytes or 0, size)
        return row.is_in_use and largest >= NEAR * row.limits(self.plans).storage_bytes

    def _look_at(self, sizes: Mapping[str, int], found: Sequence[Hosted]) -> Sequence[Hosted]:
        """Act upon all sizes; gives those that stay full."""
        there = [row for row in found if row.id in sizes and row.is_in_use]
        return [row for row in there if self._look(row, sizes[row.id]) and row.full]

    def _look(self, row: Hosted, size: int) -> bool:
        """Return whether it is full now."""
        if self._is_written_anew(row, size):
            return row.full
        self._shut_or_open(row, size)
        full = row.full
        with self._going_on(row):
            full = self._tell(row, is_full(row, size, self.plans))
        if full != row.full or size != row.size_bytes:
            hosted.note_size(self.control, row, size, full)
        return full

    def _is_written_anew(self, row: Hosted, size: int) -> bool:
        """Return whether it has grown beyond its limit for as long as a table of it is written anew."""
        limit = row.limits(self.plans).storage_bytes
        grows = size > max(FULL * limit, row.size_bytes or 0)
        if not grows or size > ANEW * limit or row.id not in self.provisioner.written_anew():
            self.anew.pop(row.id, None)
            return False
        now = self.clock()
        return now - self.anew.setdefault(row.id, now) < LONGEST_ANEW

    def _shut_or_open(self, row: Hosted, size: int) -> None:
        limit, now = row.limits(self.plans).storage_bytes, int(self.clock())
        far = size > FAR * limit
        if row.shut_until is not None:
            if shut_database.is_over(row, now) or (not far and row.shut_why == "storage"):
                hosted.note_open(self.control, row)
        elif far and size > (row.shut_size or row.size_bytes or 0) + SLACK * limit:
            seconds = shut_database.seconds(row.shuts)
            hosted.note_shut(self.control, row, size, now + seconds)
            _LOG.warning("the database %s grows far beyond its storage; it is shut for %d s", row.id, seconds)
        elif far and row.shut_size is None:
            # Its plan has become smaller, or it grows slowly.
            hosted.note_far(self.control, row, size)

    def _tell(self, row: Hosted, full: bool) -> bool:
        if full != row.full:
            self.provisioner.set_full(row.id, full)
            _LOG.warning("the database %s is %s", row.id, "full" if full else "not full any more")
        return full

    @contextmanager
    def _going_on(self, row: Hosted) -> Iterator[None]:
        """One that cannot be told is no reason to leave out the others. It is told at the next look."""
        try:
            yield
        except EngineError as error:
            _LOG.warning("the size of %s could not be acted upon, and it is tried again: %s", row.id, error)
