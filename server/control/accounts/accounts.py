"""Accounts: who has keys and databases, on which plan, and whether the account is suspended.

A suspension is one row: keys and databases of the account are what follows from it, and are not touched.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from builder.redaction import redacted
from server.control import audit, base62
from server.control.accounts.account import SELECT, Account, check_last_operator, get, to_account, unknown
from server.control.accounts.emails import check_email, folded
from server.control.accounts.passwords import Passwords, check_password
from server.control.audit import OPERATOR, Action, Event
from server.control.errors import EmailTaken, InvalidReason, WrongPassword
from server.control.plans import PlanName
from server.control.sqlite.database import ControlDatabase, Transaction

ID_LENGTH = 16


_INSERT = """
    INSERT INTO accounts (id, email, folded_email, password_hash, plan, created_at, operator)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_SUSPEND = "UPDATE accounts SET suspended = ?, reason = ?, suspensions = suspensions + 1 WHERE id = ?"
LONGEST_REASON = 500


class Accounts:
    """The accounts in a database. `clock` gives the seconds since 1970.

    Who asks for a change is `by`, in the audit log.
    """

    def __init__(
        self,
        database: ControlDatabase,
        clock: Callable[[], float] = time.time,
        passwords: Passwords | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords or Passwords()

    def create(
        self,
        email: str,
        password: str,
        plan: PlanName = "free",
        by: str = OPERATOR,
        *,
        operator: bool = False,
        with_change: Callable[[Transaction], object] = lambda _: None,
    ) -> Account:
        """Create an account, which `by` asks for; `with_change` is done with it, or neither is.

        Raises InvalidEmail, EmailTaken and WeakPassword, and what `with_change` does.
        """
        email = check_email(email)
        check_password(password, email)
        account = base62.random(ID_LENGTH)
        kept = self._passwords.hash(password)  # before the change: it takes long
        with self._database.change() as change:
            with_change(change)
            if change.read("SELECT id FROM accounts WHERE folded_email = ?", (folded(email),)):
                raise EmailTaken(f"there is an account `{email}` already", hint="use another address")
            change.write(
                _INSERT, (account, email, folded(email), kept, plan, int(self._clock()), int(operator))
            )
            # The first account may be created in a terminal: who has the printed address is no operator then.
            change.write("DELETE FROM one_time_links WHERE purpose = 'first'")
            self._note(change, "account.create", account, by)
            return get(change, account)

    def list(self) -> tuple[Account, ...]:
        """All accounts, from old to new."""
        return tuple(map(to_account, self._database.read(f"{SELECT} ORDER BY created_at, folded_email")))

    def get(self, account: str) -> Account:
        """The account with this id. Raises AccountNotFound."""
        return get(self._database, account)

    def find(self, email: str) -> Account:
        """The account with this address. Raises AccountNotFound."""
        rows = self._database.read(f"{SELECT} WHERE folded_email = ?", (folded(email),))
        if not rows:
            raise unknown(email)
        return to_account(rows[0])

    def set_plan(self, account: str, plan: PlanName, by: str = OPERATOR) -> Account:
        """Put the account with this id on a plan. Raises AccountNotFound."""
        with self._database.change() as change:
            found = get(change, account)
            if found.plan != plan:
                change.write("UPDATE accounts SET plan = ? WHERE id = ?", (plan, found.id))
                self._note(change, "account.plan", found.id, by)
            return get(change, account)

    def set_operator(self, account: str, operator: bool, by: str = OPERATOR) -> Account:
        """Let the account with this id look after all others, or no more.

        Raises AccountNotFound, and LastOperator when nobody would be left.
        """
        with self._database.change() as change:
            found = get(change, account)
            if found.operator != operator:
                if not operator:
                    check_last_operator(change, found)
                change.write("UPDATE accounts SET operator = ? WHERE id = ?", (int(operator), found.id))
                self._note(change, "account.operator", found.id, by)
            return get(change, account)

    def suspend(self, account: str, by: str = OPERATOR, reason: str = "") -> Account:
        """Disable all that the account with this id has; its owner reads the reason.

        Raises AccountNotFound and InvalidReason.
        """
        return self._set_suspended(account, check_reason(reason), "account.suspend", by)

    def clear(self, account: str, by: str = OPERATOR) -> Account:
        """End a suspension: all is again what it was before. Raises AccountNotFound."""
        return self._set_suspended(account, None, "account.clear", by)

    def verify(self, email: str, password: str) -> Account:
        """The account that has this address and this password. Raises WrongPassword.

        A suspended account's password is right, too: what it opens is for the caller to say.
        """
        sql = "SELECT id, password_hash FROM accounts WHERE folded_email = ?"
        rows = self._database.read(sql, (folded(email),))
        if not rows:
            self._passwords.waste(password)
            raise _wrong()
        account, kept = map(str, rows[0])
        if not self._passwords.matches(kept, password):
            raise _wrong()
        self._renew(account, kept, password)
        return self.get(account)

    def _renew(self, account: str, kept: str, password: str) -> None:
        """Hash the password anew when it was hashed with other parameters than those of now."""
        if not self._passwords.is_old(kept):
            return
        new = self._passwords.hash(password)
        # Unless somebody has changed the password meanwhile.
        sql = "UPDATE accounts SET password_hash = ? WHERE id = ? AND password_hash = ?"
        self._database.write(sql, (new, account, kept))

    def _set_suspended(self, account: str, reason: str | None, action: Action, by: str) -> Account:
        wanted = reason is not None
        with self._database.change() as change:
            found = get(change, account)
            if found.suspended != wanted:
                change.write(_SUSPEND, (int(wanted), reason or "", found.id))
                self._note(change, action, found.id, by)
            elif reason and reason != found.reason:
                change.write("UPDATE accounts SET reason = ? WHERE id = ?", (reason, found.id))
            return get(change, account)

    def _note(self, change: Transaction, action: Action, account: str, by: str) -> None:
        audit.note(change, Event(int(self._clock()), account, by, action, account))


def check_reason(reason: str) -> str:
    """Return the reason of a suspension as one line. Raises InvalidReason."""
    text = " ".join(reason.split())
    if len(text) > LONGEST_REASON or not text.isprintable() or redacted(text) != text:
        hint = f"write {LONGEST_REASON} characters or fewer, without a key: the owner reads it"
        raise InvalidReason("this cannot be the reason of a suspension", hint=hint)
    return text


def _wrong() -> WrongPassword:
    return WrongPassword("the email address or the password is wrong", hint="check both, also for capitals")
