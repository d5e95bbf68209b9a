"""How large databases are, and what follows from it.

From 80 % of what the plan allows the record has a warning. At 100 % nothing new can be made, and sessions
begin read-only: who asks for it can still delete rows. Both ends below 95 %, so that it does not flicker.
"""

from __future__ import annotations

import logging
from typing import Literal

from msgspec import Struct

from server.control.database import Database
from server.control.plans import Plans
from server.engine.errors import EngineError
from server.engine.provisioning import Provisioner
from server.hosting import rows
from server.hosting.records import Hosted

WARNING, FULL, RELIEVED, FAR = 0.80, 1.00, 0.95, 1.10
"""Parts of the limit. Whoever goes on far beyond it loses his sessions at each look."""

Storage = Literal["ok", "warning", "full"]
_LOG = logging.getLogger("twinpress.hosting")


def storage(row: Hosted, plans: Plans) -> Storage:
    """What its size means for a database."""
    if row.full:
        return "full"
    near = (row.size_bytes or 0) >= WARNING * row.limits(plans).storage_bytes
    return "warning" if near else "ok"


def is_full(row: Hosted, size: int, plans: Plans) -> bool:
    """Whether a database of this size may grow no more."""
    return size >= (RELIEVED if row.full else FULL) * row.limits(plans).storage_bytes


class Quota(Struct, frozen=True):
    """Looks at all sizes regularly."""

    database: Database
    provisioner: Provisioner
    plans: Plans

    def run(self) -> None:
        """Look once. Raises EngineError when sizes cannot be had, and DatabaseError."""
        sizes = self.provisioner.sizes()
        for row in rows.every(self.database):
            if row.id in sizes and row.is_in_use:
                self._look(row, sizes[row.id])

    def _look(self, row: Hosted, size: int) -> None:
        full = is_full(row, size, self.plans)
        try:
            self._tell(row, size, full)
        except EngineError as error:
            # One that cannot be told is no reason to leave out the others. It is told at the next look.
            _LOG.warning("the size of %s could not be acted upon, and it is tried again: %s", row.id, error)
            full = row.full
        if full != row.full or size != row.size_bytes:
            self.database.write(
                "UPDATE databases SET size_bytes = ?, full = ? WHERE id = ?", (size, int(full), row.id)
            )

    def _tell(self, row: Hosted, size: int, full: bool) -> None:
        if full != row.full:
            self.provisioner.set_full(row.id, full)
            _LOG.warning("the database %s is %s", row.id, "full" if full else "not full any more")
        elif full and size > FAR * row.limits(self.plans).storage_bytes:
            self.provisioner.set_full(row.id, True)
        elif full:
            self.provisioner.keep_full(row.id)
