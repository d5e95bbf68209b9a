"""Hosted databases, their records and rows: read them, and note what the server has obeyed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from server.control.plans import PlanLimits, PlanName, Plans
from server.control.sqlite.database import ControlDatabase, Row, Transaction, record_of
from server.struct_types import prepare

Status = Literal["creating", "active", "disabled", "deleting", "error"]
Wanted = Literal["present", "absent"]

TRIES = 3
"""Failed attempts after which a database is said to be in error; it is tried on all the same."""

LOST = "the operator of the service can recreate it and restore a dump"
"""What is said of one that somebody else has removed."""


class Hosted(Struct, frozen=True):
    """A row of `databases`, with what its account says. Times are whole seconds since 1970, UTC."""

    id: str
    account: str
    number: int
    name: str
    wanted: Wanted
    generation: int
    applied: int
    made_from: int
    lost: bool
    obeyed_suspensions: int
    password: str | None
    next_password: str | None
    end_sessions: bool
    connection_limit: int | None
    size_bytes: int | None
    full: bool
    shut_until: int | None
    shuts: int
    shut_size: int | None
    shut_why: Literal["storage", "session", "settings"] | None
    forced: int
    forced_at: int | None
    attempts: int
    next_attempt_at: int
    last_error: str | None
    created_at: int
    updated_at: int
    password_rotated_at: int | None
    plan: PlanName
    suspended: bool
    suspensions: int

    @property
    def status(self) -> Status:
        """The status that its owner sees. An account's suspension counts before the server obeys it."""
        if self.wanted == "absent":
            return "deleting"
        if self.suspended:
            return "disabled"
        failing = self.attempts >= TRIES or (self.last_error and self.is_there)
        if self.lost or failing or self.shut_until is not None:
            return "error"
        return "active" if self.is_there else "creating"

    @property
    def is_there(self) -> bool:
        """True if it has been made on the server."""
        return self.applied >= self.made_from

    @property
    def is_in_use(self) -> bool:
        """True if somebody may be connected to it, and shall be able to."""
        return self.is_there and self.wanted == "present"

    @property
    def is_locked(self) -> bool:
        """True if nobody may log in: its account is suspended, or it is shut."""
        return self.suspended or self.shut_until is not None

    @property
    def is_late(self) -> bool:
        """True if the server has yet to lock or unlock it, as its account and its size ask for."""
        return self.obeyed_suspensions != self.suspensions

    def limits(self, plans: Plans) -> PlanLimits:
        """Return its limits now."""
        return plans[self.plan]

    def is_settled(self, plans: Plans) -> bool:
        """Return whether the server has all that is wanted; sizes apart, which are looked at regularly."""
        return (
            self.applied == self.generation
            and not self.is_late
            and (self.is_locked or self.connection_limit == self.limits(plans).connections)
        )


prepare(Hosted)
_OF_ACCOUNT = ("plan", "suspended", "suspensions")
_FIELDS = Hosted.__struct_fields__
_COLUMNS = ", ".join(f"{'a' if name in _OF_ACCOUNT else 'd'}.{name}" for name in _FIELDS)
LONGEST_PAUSE = 60
"""Seconds after which an attempt that has failed is made again at the latest."""
SELECT = f"SELECT {_COLUMNS} FROM databases d JOIN accounts a ON a.id = d.account"  # noqa: S608 - constants


def one(source: ControlDatabase | Transaction, id: str) -> Hosted | None:
    """The database with this id, whosever it is."""
    rows = source.read(f"{SELECT} WHERE d.id = ?", (id,))
    return to_hosted(rows[0]) if rows else None


def of_account(control: ControlDatabase, account: str, limit: int, behind: int = 0) -> list[Hosted]:
    """At most `limit` databases of an account, from old to new, also those that are being removed.

    `behind` is the number of the last one that is not wanted any more.
    """
    sql = f"{SELECT} WHERE d.account = ? AND d.number > ? ORDER BY d.number LIMIT ?"
    return [to_hosted(row) for row in control.read(sql, (account, behind, limit))]


def all_of(control: ControlDatabase, account: str) -> list[Hosted]:
    """All databases of an account."""
    return of_account(control, account, -1)


def every(control: ControlDatabase) -> list[Hosted]:
    """All databases of all accounts."""
    return [to_hosted(row) for row in control.read(f"{SELECT} ORDER BY d.created_at, d.account, d.number")]


def unsettled(control: ControlDatabase, connections: Mapping[str, int], now: int) -> list[Hosted]:
    """Those that the server has yet to obey and whose time has come; `connections` are the plans' limits.

    A suspension does not wait, whatever has failed before; nor does anything for a clock that was set back.
    """
    limit = " ".join("WHEN ? THEN ?" for _ in connections)
    values = [value for pair in connections.items() for value in pair]
    rows = control.read(
        f"""{SELECT} WHERE d.obeyed_suspensions <> a.suspensions
        OR ((d.next_attempt_at <= ? OR d.next_attempt_at > ?) AND (d.lost = 0 OR d.wanted = 'absent') AND (
            d.applied <> d.generation
            OR (a.suspended = 0 AND d.shut_until IS NULL
                AND COALESCE(d.connection_limit, -1) <> CASE a.plan {limit} END)
        )) ORDER BY d.created_at, d.account, d.number""",
        (now, now + LONGEST_PAUSE, *values),
    )
    return [to_hosted(row) for row in rows]


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


def to_hosted(row: Row) -> Hosted:
    """The record of a row of SELECT."""
    return record_of(Hosted, row)


def note_applied(change: Transaction, row: Hosted, sealed: str | None, connections: int, now: int) -> None:
    """The server has all that `row` said. What was asked for meanwhile keeps the row unsettled.

    `sealed` is the password that the server was given, None when it was given none.
    """
    change.write(
        """UPDATE databases SET
            password = COALESCE(?, password),
            next_password = CASE WHEN generation = ? THEN NULL ELSE next_password END,
            end_sessions = CASE WHEN generation = ? THEN 0 ELSE end_sessions END,
            password_rotated_at = CASE WHEN ? = 1 THEN ? ELSE password_rotated_at END,
            obeyed_suspensions = CASE WHEN shut_until IS ? THEN ? ELSE obeyed_suspensions END,
            applied = ?, connection_limit = ?,
            attempts = 0, next_attempt_at = 0, last_error = NULL, updated_at = ?
        WHERE id = ? AND applied <= ? AND wanted = 'present'""",
        (
            sealed,
            row.generation,
            row.generation,
            int(sealed is not None and row.is_there),
            now,
            row.shut_until,
            row.suspensions,
            row.generation,
            None if row.is_locked else connections,
            now,
            row.id,
            row.generation,
        ),
    )


def note_obeyed(
    control: ControlDatabase, rows: Sequence[Hosted], connections: Mapping[str, int], now: int
) -> None:
    """The server has locked or unlocked these, as the suspension that they were read with said."""
    with control.change() as change:
        for row in rows:
            limit = None if row.is_locked else connections[row.plan]
            change.write(
                """UPDATE databases SET obeyed_suspensions = ?, connection_limit = ?, updated_at = ?
                WHERE id = ? AND obeyed_suspensions < ? AND shut_until IS ?""",
                (row.suspensions, limit, now, row.id, row.suspensions, row.shut_until),
            )


def note_size(control: ControlDatabase, row: Hosted, size: int, full: bool) -> None:
    """Note its size, and whether it is full; one that is not counts anew how often it was shut."""
    control.write(
        """UPDATE databases SET size_bytes = ?, full = ?,
        shuts = CASE WHEN ? = 1 THEN shuts ELSE 0 END,
        shut_size = CASE WHEN ? = 1 THEN shut_size END WHERE id = ?""",
        (size, int(full), int(full), int(full), row.id),
    )


def note_shut(control: ControlDatabase, row: Hosted, size: int, until: int) -> None:
    """Nobody is to be in until then: whoever leads locks it at its next look."""
    control.write(
        """UPDATE databases SET shut_until = ?, shut_why = 'storage', shuts = shuts + 1, shut_size = ?,
        obeyed_suspensions = -1 WHERE id = ?""",
        (until, size, row.id),
    )


def note_forced(
    control: ControlDatabase,
    row: Hosted,
    times: int,
    now: int,
    until: int,
    *,
    why: Literal["session", "settings"] = "session",
) -> None:
    """Note that a session of it hears nothing, or fills what all share, once more: it is shut until then."""
    control.write(
        """UPDATE databases SET shut_until = MAX(COALESCE(shut_until, 0), ?), shut_why = ?,
        forced = ?, forced_at = ?,
        obeyed_suspensions = CASE WHEN shut_until IS NULL THEN -1 ELSE obeyed_suspensions END
        WHERE id = ?""",
        (until, why, times, now, row.id),
    )


def note_far(control: ControlDatabase, row: Hosted, size: int) -> None:
    """It is far beyond its storage; from this size on it may not grow."""
    control.write("UPDATE databases SET shut_size = ? WHERE id = ?", (size, row.id))


def note_open(control: ControlDatabase, row: Hosted) -> None:
    """It is shut no more, and unlocked by whoever leads, unless its account is suspended."""
    control.write(
        """UPDATE databases SET shut_until = NULL, shut_why = NULL, obeyed_suspensions = -1
        WHERE id = ?""",
        (row.id,),
    )


def note_failed(control: ControlDatabase, row: Hosted, error: str, next_attempt_at: int) -> None:
    """An attempt has failed; try again at this time, unless something else was asked for meanwhile."""
    control.write(
        """UPDATE databases SET attempts = attempts + 1, next_attempt_at = ?, last_error = ?
        WHERE id = ? AND generation = ?""",
        (next_attempt_at, error, row.id, row.generation),
    )


def note_lost(control: ControlDatabase, id: str, lost: bool) -> None:
    """Somebody else has removed it from the server, or it is there again."""
    control.write("UPDATE databases SET lost = ? WHERE id = ?", (int(lost), id))


def note_gone(control: ControlDatabase, row: Hosted) -> None:
    """The server has it no more."""
    control.write("DELETE FROM databases WHERE id = ? AND generation = ?", (row.id, row.generation))


def note_restored(control: ControlDatabase, every: Sequence[str], there: Collection[str]) -> None:
    """These were restored from a backup: all that are `there` are on a new server, open, and not measured.

    The others of `every` are missing. Whoever leads locks those again that shall be locked.
    """
    with control.change() as change:
        for id in every:
            change.write(
                """UPDATE databases SET lost = ?, obeyed_suspensions = -1, connection_limit = NULL,
                size_bytes = NULL, full = 0, attempts = 0, next_attempt_at = 0, last_error = NULL
                WHERE id = ?""",
                (int(id not in there), id),
            )
