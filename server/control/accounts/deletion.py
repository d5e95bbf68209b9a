"""Delete accounts whose owners wanted that, and have not restored them in time."""

from __future__ import annotations

from server.control.sqlite.database import ControlDatabase

_DUE = "SELECT id FROM accounts WHERE delete_at <= ? ORDER BY delete_at"
_EMPTY = """
    DELETE FROM accounts WHERE id = ? AND delete_at <= ?
    AND NOT EXISTS (SELECT 1 FROM databases WHERE account = accounts.id)
    AND NOT EXISTS (SELECT 1 FROM sites WHERE account = accounts.id)
"""


def due(control: ControlDatabase, now: int) -> list[str]:
    """List the ids of accounts whose time is over at `now`, in seconds since 1970."""
    return [str(id) for (id,) in control.read(_DUE, (now,))]


def delete_empty(control: ControlDatabase, now: int) -> int:
    """Delete the accounts that are due and have nothing left; return how many these were.

    Keys, sessions, passkeys and codes go with them. Events stay, under an id that nobody has any more.
    """
    return sum(control.write(_EMPTY, (account, now)) for account in due(control, now))
