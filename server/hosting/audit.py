"""A record of who saw or changed which password, and of what else was done to databases and keys."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from server.control.database import Change, Database
from server.hosting.asking import Ask

Action = Literal[
    "database.create", "database.reveal", "database.rotate", "database.delete", "database.recreate"
]
KEPT_SECONDS = 400 * 24 * 3600
"""How long an event is kept: more than a year, so that last year's can be compared."""

_FIELDS = ("at", "account", "actor", "action", "subject", "request")


class Event(Struct, frozen=True):
    """One event. `at` is in whole seconds since 1970, UTC; `actor` is the id of a key, or what else asked."""

    at: int
    account: str
    actor: str
    action: str
    subject: str
    request: str


def note(change: Change | Database, ask: Ask, action: Action, subject: str, now: int) -> None:
    """Write an event; it is on disk before the answer is given."""
    change.write(
        "INSERT INTO audit (at, account, actor, action, subject, request) VALUES (?, ?, ?, ?, ?, ?)",
        (now, ask.account, ask.actor, action, subject, ask.request),
    )


def events(database: Database, account: str, limit: int = 1000) -> list[Event]:
    """The last events of an account, from new to old."""
    rows = database.read(
        f"SELECT {', '.join(_FIELDS)} FROM audit WHERE account = ? ORDER BY number DESC LIMIT ?",  # noqa: S608
        (account, limit),
    )
    return [msgspec.convert(dict(zip(_FIELDS, row, strict=True)), Event) for row in rows]


def forget_old(database: Database, now: int) -> None:
    """Remove events that are older than they are kept."""
    database.write("DELETE FROM audit WHERE at < ?", (now - KEPT_SECONDS,))
