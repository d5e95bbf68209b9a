"""Changes of an account by its owner: address, password, and that it shall be deleted."""

from __future__ import annotations

import time
from collections.abc import Callable

from server.control import audit
from server.control.accounts.account import Account, check_last_operator, get
from server.control.accounts.emails import check_email, folded
from server.control.accounts.passwords import Passwords, check_password
from server.control.audit import Action, Event
from server.control.errors import EmailTaken, SessionEnded
from server.control.sqlite.database import ControlDatabase, Transaction, Value

RESTORABLE = 7 * 24 * 3600
"""Seconds between the wish to delete an account and its end."""
_ALIVE = "SELECT 1 FROM browser_sessions WHERE id = ? AND account = ?"
_LINKS = "DELETE FROM one_time_links WHERE account = ?"
"""To a new password, which may lie in a mail to the address before; and behind the password before."""
_OTHERS = "DELETE FROM browser_sessions WHERE account = ? AND id != ?"


class OwnAccount:
    """The account with the id `account`, changed by its owner. `clock` gives the seconds since 1970.

    `by` is who changes it in the owner's place. `session` is the id of the session that changes it: what it
    changes ends all others. All changes raise SessionEnded, and change nothing, where that session has ended
    by then.
    """

    def __init__(
        self,
        database: ControlDatabase,
        account: str,
        session: str = "",
        clock: Callable[[], float] = time.time,
        passwords: Passwords | None = None,
        *,
        by: str = "",
    ) -> None:
        self._database = database
        self._account = account
        self._session = session
        self._by = by or account
        self._clock = clock
        self._passwords = passwords or Passwords()

    def check_new_email(self, email: str) -> str:
        """Return the address as the account would have it. Raises InvalidEmail and EmailTaken."""
        email = check_email(email)
        taken = "SELECT id FROM accounts WHERE folded_email = ? AND id != ?"
        if self._database.read(taken, (folded(email), self._account)):
            raise EmailTaken(f"another account has the address `{email}`", hint="use another address")
        return email

    def set_email(self, email: str, with_change: Callable[[Transaction], object] = lambda _: None) -> Account:
        """Change the address; `with_change` is done with it, or neither is.

        Raises InvalidEmail and EmailTaken, and what `with_change` does.
        """
        email = check_email(email)
        with self._database.change() as change:
            with_change(change)
            taken = "SELECT id FROM accounts WHERE folded_email = ? AND id != ?"
            if change.read(taken, (folded(email), self._account)):
                raise EmailTaken(f"another account has the address `{email}`", hint="use another address")
            change.write(_LINKS, (self._account,))
            values = (email, folded(email), self._account)
            return self._changed(
                change,
                "account.email",
                "UPDATE accounts SET email = ?, folded_email = ? WHERE id = ?",
                values,
            )

    def set_password(
        self, password: str, with_change: Callable[[Transaction], object] = lambda _: None
    ) -> Account:
        """Change the password, and end all other sessions; `with_change` is done with it, or neither is.

        Raises WeakPassword, AccountNotFound, and what `with_change` does.
        """
        check_password(password, get(self._database, self._account).email)
        kept = self._passwords.hash(password)  # before the change: it takes long
        with self._database.change() as change:
            with_change(change)
            change.write(_LINKS, (self._account,))
            change.write(_OTHERS, (self._account, self._session))
            values = (kept, self._account)
            return self._changed(
                change, "account.password", "UPDATE accounts SET password_hash = ? WHERE id = ?", values
            )

    def delete(self) -> Account:
        """Have the account deleted in RESTORABLE seconds, and end all other sessions.

        Raises AccountNotFound, and LastOperator when nobody could look after the accounts then.
        """
        with self._database.change() as change:
            check_last_operator(change, get(change, self._account))
            change.write(_OTHERS, (self._account, self._session))
            values = (int(self._clock()) + RESTORABLE, self._account)
            sql = "UPDATE accounts SET delete_at = ? WHERE id = ? AND delete_at IS NULL"
            return self._changed(change, "account.delete", sql, values)

    def restore(self) -> Account:
        """Keep the account that was to be deleted, unless its time is over: then what it has is going."""
        with self._database.change() as change:
            sql = "UPDATE accounts SET delete_at = NULL WHERE id = ? AND delete_at > ?"
            return self._changed(change, "account.restore", sql, (self._account, int(self._clock())))

    def _changed(self, change: Transaction, action: Action, sql: str, values: tuple[Value, ...]) -> Account:
        """Return the account after the change, which is noted when it has changed anything."""
        if self._session and not change.read(_ALIVE, (self._session, self._account)):
            raise SessionEnded("you are signed out", hint="sign in again")
        if change.write(sql, values):
            audit.note(change, Event(int(self._clock()), self._account, self._by, action, self._account))
        return get(change, self._account)
