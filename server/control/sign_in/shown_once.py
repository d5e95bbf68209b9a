"""Secrets on their way to the one page that shows them: kept sealed, and gone when they are shown.

A form is answered with the address of a page (POST, 303, GET). A secret that the form has made has to wait
for that page, which alone may show it, once, in the same session.

Apart from the dashboard, which is of a higher layer.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from server.control import base62
from server.control.sealing import Keyring
from server.control.sqlite.database import ControlDatabase

LIFE = 300
"""Seconds that a secret waits at most."""
ID_LENGTH = 22


class ShownOnce:
    """The secrets that wait, in a database. `clock` gives the seconds since 1970."""

    def __init__(
        self, database: ControlDatabase, keyring: Keyring, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._keyring = keyring
        self._clock = clock

    def keep(self, session: str, text: str) -> str:
        """Keep a secret for the session with this id; returns the id under which it is taken."""
        id, now = base62.random(ID_LENGTH), int(self._clock())
        sealed = self._keyring.seal(text, _place(id))
        sql = "INSERT INTO shown_once (id, session, sealed, ends_at) VALUES (?, ?, ?, ?)"
        self._database.write(sql, (id, session, sealed, now + LIFE))
        return id

    def take(self, session: str, id: str) -> str | None:
        """Return the secret and forget it; None where it was taken before, or is not of this session."""
        asked = (id, session, int(self._clock()))
        with self._database.change() as change:
            rows = change.read(
                "SELECT sealed FROM shown_once WHERE id = ? AND session = ? AND ends_at > ?", asked
            )
            if not rows:
                return None
            change.write("DELETE FROM shown_once WHERE id = ?", (id,))
        return self._keyring.open(str(rows[0][0]), _place(id))

    def forget_old(self) -> None:
        """Remove what nobody has looked at in time."""
        self._database.write("DELETE FROM shown_once WHERE ends_at <= ?", (int(self._clock()),))


def _place(id: str) -> str:
    return f"shown once {id}"
