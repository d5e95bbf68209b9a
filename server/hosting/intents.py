"""Write down what shall be, before the server hears of it: one transaction for each request.

The new password is on disk, sealed, before anything else happens. Whatever fails afterwards, it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from server.control import audit
from server.control.accounts import deletion
from server.control.audit import Action
from server.control.plans import PlanName, Plans
from server.control.sealing import Keyring, password_of
from server.control.sqlite.database import ControlDatabase, Transaction
from server.hosting import database_name, hosted, idempotency
from server.hosting.errors import (
    AccountSuspended,
    DatabaseBusy,
    DatabaseLimitReached,
    DatabaseNotFound,
    NameTaken,
)
from server.hosting.hosted import LOST, Hosted
from server.hosting.idempotency import Ask, Intent
from server.postgres.tenant_names import new_name, new_password

Make = Callable[[Transaction], Intent]
_DELETION = "deletion"
"""Who asks for the end of an account's databases, in the audit log."""


class Intents:
    """Changes that are asked for. `clock` gives the seconds since 1970."""

    def __init__(
        self, control: ControlDatabase, keyring: Keyring, plans: Plans, clock: Callable[[], float]
    ) -> None:
        self._control = control
        self._keyring = keyring
        self._plans = plans
        self._clock = clock

    def create(self, ask: Ask, name: str | None) -> Intent:
        """A new database; without a `name` its id is its name.

        Raises InvalidName, NameTaken, DatabaseLimitReached, AccountSuspended and IdempotencyKeyReused.
        """
        if name is not None:
            database_name.check_name(name)
        return self._write_down(ask, "database.create", partial(self._insert, ask, name))

    def rotate(self, ask: Ask, id: str, *, end_sessions: bool) -> Intent:
        """A new password. Raises DatabaseNotFound, DatabaseBusy, AccountSuspended, IdempotencyKeyReused."""
        return self._write_down(ask, "database.rotate", partial(self._renew, ask, id, end_sessions))

    def delete(self, ask: Ask, id: str) -> Intent:
        """No database any more. Raises DatabaseNotFound, IdempotencyKeyReused."""
        return self._write_down(ask, "database.delete", partial(self._remove, ask, id))

    def delete_due(self) -> None:
        """Have the databases of accounts deleted whose time is over.

        Such an account goes when nothing of it is left: `deletion.delete_empty` deletes those that have none.
        """
        for account in deletion.due(self._control, int(self._clock())):
            for row in hosted.all_of(self._control, account):
                if row.wanted == "present":
                    self.delete(Ask(account, _DELETION), row.id)

    def recreate(self, ask: Ask, id: str) -> Intent:
        """An empty database in place of one that the server has lost, with the password that it had.

        Raises DatabaseNotFound, and DatabaseBusy when it is not lost.
        """
        return self._write_down(ask, "database.recreate", partial(self._begin_again, ask, id))

    def _write_down(self, ask: Ask, action: Action, make: Make) -> Intent:
        now = int(self._clock())
        with self._control.change() as change:
            ask.check()  # nobody else can write now, so it holds until this is written
            intent = idempotency.repeated(change, ask, now)
            if intent is None:
                intent = make(change)
                idempotency.note(change, ask, intent, now)
                audit.note(change, ask.event(action, intent.id, now))
        return intent

    def _insert(self, ask: Ask, name: str | None, change: Transaction) -> Intent:
        self._check_room(change, ask.account)
        id, now = new_name(), int(self._clock())
        called = id if name is None else name
        _check_free(change, ask.account, called)
        sealed = self._keyring.seal(new_password(), password_of(id))
        change.write(
            """INSERT INTO databases
            (id, account, number, name, folded_name, next_password, created_at, updated_at)
            SELECT ?, ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ? FROM databases WHERE account = ?""",
            (id, ask.account, called, database_name.folded(called), sealed, now, now, ask.account),
        )
        return Intent(id, 1)

    def _check_room(self, change: Transaction, account: str) -> None:
        plan = _plan_of(change, account)
        most = self._plans[plan].databases
        found = change.read(
            "SELECT COUNT(*) FROM databases WHERE account = ? AND wanted = 'present'", (account,)
        )
        if int(found[0][0] or 0) >= most:
            raise DatabaseLimitReached(
                f"the account has {most:,} databases, as many as the {plan} plan allows",
                hint="have one deleted, or the plan changed",
            )

    def _renew(self, ask: Ask, id: str, end_sessions: bool, change: Transaction) -> Intent:
        _plan_of(change, ask.account)
        row = present(change, ask.account, id)
        if row.lost:
            raise lost(row)
        if not row.is_there:
            raise DatabaseBusy(f"the database `{row.name}` is still being created", hint="try again soon")
        sealed = self._keyring.seal(new_password(), password_of(id))
        change.write(
            """UPDATE databases SET next_password = ?, generation = generation + 1, next_attempt_at = 0,
            end_sessions = CASE WHEN ? = 1 THEN 1 ELSE end_sessions END, updated_at = ? WHERE id = ?""",
            (sealed, int(end_sessions), int(self._clock()), id),
        )
        return Intent(id, row.generation + 1)

    def _remove(self, ask: Ask, id: str, change: Transaction) -> Intent:
        row = present(change, ask.account, id)
        change.write(
            """UPDATE databases SET wanted = 'absent', generation = generation + 1, next_attempt_at = 0,
            updated_at = ? WHERE id = ?""",
            (int(self._clock()), id),
        )
        return Intent(id, row.generation + 1)

    def _begin_again(self, ask: Ask, id: str, change: Transaction) -> Intent:
        row = present(change, ask.account, id)
        if not row.lost:
            raise DatabaseBusy(f"the database `{row.name}` is not lost", hint="delete it to start again")
        change.write(
            """UPDATE databases SET next_password = COALESCE(next_password, password),
            generation = generation + 1, made_from = generation + 1, lost = 0, attempts = 0,
            next_attempt_at = 0, last_error = NULL, size_bytes = NULL, full = 0, updated_at = ?
            WHERE id = ?""",
            (int(self._clock()), id),
        )
        return Intent(id, row.generation + 1)


def _plan_of(change: Transaction, account: str) -> PlanName:
    """The account's plan. Raises AccountSuspended: its key was checked before it was suspended."""
    rows = change.read("SELECT plan, suspended FROM accounts WHERE id = ?", (account,))
    if not rows or rows[0][1]:
        raise suspended()
    return "premium" if rows[0][0] == "premium" else "free"


def _check_free(change: Transaction, account: str, name: str) -> None:
    taken = change.read(
        "SELECT 1 FROM databases WHERE account = ? AND folded_name = ? AND wanted = 'present'",
        (account, database_name.folded(name)),
    )
    if taken:
        raise NameTaken(f"the account has a database called `{name}`", hint="choose another name")


def present(source: Transaction | ControlDatabase, account: str, id: str) -> Hosted:
    """A database of the account that is not being removed. Raises DatabaseNotFound."""
    row = hosted.one(source, id)
    if row is None or row.account != account or row.wanted == "absent":
        raise not_found(id)
    return row


def not_found(id: str) -> DatabaseNotFound:
    """The same for a database of somebody else as for none."""
    return DatabaseNotFound(f"there is no database `{id[:80]}`", hint="the list of databases has the ids")


def suspended() -> AccountSuspended:
    """It was, since the key was checked."""
    return AccountSuspended("the account is suspended", hint="its owner can ask the operator why")


def lost(row: Hosted) -> DatabaseBusy:
    """Somebody else has removed it from the server."""
    return DatabaseBusy(f"the database `{row.name}` is missing on the server", hint=LOST)
