"""Ask to end what tenants do for too long, but not what the operator does for them: a restore takes hours."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from server.control.plans import Plans
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.saved_choice import forget, keep
from server.hosting import hosted
from server.postgres.tenants.provisioning import Provisioner

LONGEST = 24 * 3600
"""Seconds after which whoever asked for a reprieve is taken to have died."""
_PREFIX = "spared:"
_LOG = logging.getLogger("twinpress.hosting")


class SessionLimits(Struct, frozen=True):
    """Looks regularly."""

    control: ControlDatabase
    provisioner: Provisioner
    plans: Plans
    clock: Callable[[], float]

    def run(self) -> None:
        """Look once. Raises EngineError and DatabaseError."""
        # What sorts and hashes write to disk is at most as much as the database itself may have.
        room = {row.id: row.limits(self.plans).storage_bytes for row in hosted.every(self.control)}
        for each in self.provisioner.enforce_limits(spared(self.control, self.clock()), room):
            said = "asked a session of %s to end (process %d), %s: %.0f s"
            _LOG.info(said, each.name, each.process, each.why, each.seconds)


def spared(control: ControlDatabase, now: float) -> list[str]:
    """Databases whose sessions are left alone now."""
    hosted = control.read("SELECT name, value FROM settings WHERE name LIKE 'spared:%'")
    return [str(name).removeprefix(_PREFIX) for name, until in hosted if now < float(str(until))]


@contextmanager
def spare(control: ControlDatabase, id: str) -> Iterator[None]:
    """Leave the sessions of a database alone for the time of the block."""
    keep(control, _PREFIX + id, str(int(time.time()) + LONGEST))
    try:
        yield
    finally:
        forget(control, _PREFIX + id)
