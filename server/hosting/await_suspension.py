"""Wait until the databases of an account obey its suspension, or the end of it.

It stands apart from the command that waits, as it is of a lower layer: it looks at rows alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from server.control.sqlite.database import ControlDatabase

PATIENCE = 90.0
"""Seconds; a service that leads needs less than one, and some seventy where it may not end by force yet."""
_PAUSE = 0.02


def disobedient(control: ControlDatabase, account: str) -> int:
    """Count the databases of the account that have yet to obey.

    Those that are not made yet are made locked.
    """
    rows = control.read(
        """SELECT COUNT(*) FROM databases d JOIN accounts a ON a.id = d.account
        WHERE a.id = ? AND d.applied > 0 AND d.obeyed_suspensions <> a.suspensions""",
        (account,),
    )
    return int(rows[0][0] or 0)


def wait(
    control: ControlDatabase, account: str, help: Callable[[], bool], patience: float | None = None
) -> int:
    """Wait for it; gives how many do not obey when the patience, PATIENCE if not given, is at its end.

    `help` is called again and again meanwhile: it may do the work where no service runs, and says whether to
    wait is of use.
    """
    end = time.monotonic() + (PATIENCE if patience is None else patience)
    while (left := disobedient(control, account)) and time.monotonic() < end:
        if not help():
            return disobedient(control, account)
        time.sleep(_PAUSE)
    return left
