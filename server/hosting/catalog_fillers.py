"""End, and then shut, the databases that fill the catalog of all tenants with settings of their roles.

No database's size says so. One that changes its role while the catalog grows may be innocent once; whoever is
found again is not.

Apart from the service that has it look, which is of a higher layer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted, shut_database
from server.hosting.hosted import Hosted
from server.postgres.tenants.provisioning import Provisioner

MOST = 64 * 1024 * 1024
"""Bytes that settings of all roles may take before anything is done: those of many thousands of tenants."""
_LOG = logging.getLogger("twinpress.hosting")


class CatalogFillers:
    """Looks regularly. What it remembers is this process's own: the next leader begins anew."""

    def __init__(
        self,
        control: ControlDatabase,
        provisioner: Provisioner,
        clock: Callable[[], float],
        most: int = MOST,
    ) -> None:
        self._control = control
        self._provisioner = provisioner
        self._clock = clock
        self._largest = most
        self._most = most
        self._found: set[str] = set()

    def run(self) -> None:
        """End who writes while there is more and more. To be called every second.

        Raises EngineError and DatabaseError.
        """
        size = self._provisioner.catalog_size()
        if size > self._largest:
            self._end()
        self._largest = max(size, self._most)

    def shorten(self) -> None:
        """Reset what is too long, if there is much in all. It may take long: PostgreSQL writes the rest anew.

        To be called regularly, by another thread than `run`. Raises as that.
        """
        if self._provisioner.catalog_size() <= self._most:
            return
        shortened = self._provisioner.shorten_settings()
        for each in shortened:
            _LOG.warning("reset the setting %s of %s: it was too long to be kept", each.name, each.tenant)
        self._shut({each.tenant for each in shortened})

    def _end(self) -> None:
        ended = self._provisioner.end_writers()
        for each in ended:
            said = "asked a session of %s to end (process %d): the settings of roles grow"
            _LOG.warning(said, each.name, each.process)
        self._shut({each.name for each in ended})

    def _shut(self, names: Collection[str]) -> None:
        """Shut those of them that were found before."""
        twice = sorted(self._found & set(names))
        again = [row for name in twice if (row := hosted.one(self._control, name)) is not None]
        now = int(self._clock())
        before = shut_database.earlier(self._control, again, now)
        for row in again:
            if row.is_in_use:
                self._shut_one(row, before[row.account], now)
        self._found.update(names)

    def _shut_one(self, row: Hosted, before: int, now: int) -> None:
        seconds = shut_database.seconds(before)
        hosted.note_forced(self._control, row, before + 1, now, now + seconds, why="settings")
        _LOG.warning("the database %s is shut for %d s: its role's settings grow again", row.id, seconds)
