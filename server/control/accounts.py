"""Accounts: who has keys and databases, on which plan, and whether the account is suspended.

A suspension is one row: keys and databases of the account are what follows from it, and are not touched.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
from msgspec import Struct

from server.control import base62
from server.control.database import Change, Database, Row
from server.control.emails import check_email, folded
from server.control.errors import AccountNotFound, EmailTaken, WrongPassword
from server.control.key_text import redacted
from server.control.passwords import Passwords, check_password
from server.control.plans import PlanName

ID_LENGTH = 16


class Account(Struct, frozen=True):
    """One account; its password is nowhere but in the database, as a hash."""

    id: str
    email: str
    """As it was given; it is compared without regard to upper and lower case."""
    plan: PlanName
    suspended: bool
    suspensions: int
    """How often the account was suspended and cleared: what obeys one of them says which."""
    created_at: int
    """Seconds since 1970, UTC."""


_FIELDS = Account.__struct_fields__
_SELECT = f"SELECT {', '.join(_FIELDS)} FROM accounts"  # noqa: S608 - constants alone
_INSERT = """
    INSERT INTO accounts (id, email, folded_email, password_hash, plan, created_at) VALUES (?, ?, ?, ?, ?, ?)
"""
_SUSPEND = """
    UPDATE accounts SET suspended = ?, suspensions = suspensions + 1 WHERE id = ? AND suspended <> ?
"""


class Accounts:
    """The accounts in a database. `clock` gives the seconds since 1970."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float] = time.time,
        passwords: Passwords | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._passwords = passwords or Passwords()

    def create(self, email: str, password: str, plan: PlanName = "free") -> Account:
        """Make an account. Raises InvalidEmail, EmailTaken and WeakPassword."""
        email = check_email(email)
        check_password(password, email)
        account = base62.random(ID_LENGTH)
        kept = self._passwords.hash(password)  # before the change: it takes long
        with self._database.change() as change:
            if change.read("SELECT id FROM accounts WHERE folded_email = ?", (folded(email),)):
                raise EmailTaken(f"there is an account `{email}` already", hint="take another address")
            change.write(_INSERT, (account, email, folded(email), kept, plan, int(self._clock())))
            return _get(change, account)

    def list(self) -> tuple[Account, ...]:
        """All accounts, from old to new."""
        return tuple(map(_to_account, self._database.read(f"{_SELECT} ORDER BY created_at, folded_email")))

    def get(self, account: str) -> Account:
        """The account with this id. Raises AccountNotFound."""
        return _get(self._database, account)

    def find(self, email: str) -> Account:
        """The account with this address. Raises AccountNotFound."""
        rows = self._database.read(f"{_SELECT} WHERE folded_email = ?", (folded(email),))
        if not rows:
            raise _unknown(email)
        return _to_account(rows[0])

    def set_plan(self, account: str, plan: PlanName) -> Account:
        """Put the account with this id on a plan. Raises AccountNotFound."""
        with self._database.change() as change:
            found = _get(change, account)
            change.write("UPDATE accounts SET plan = ? WHERE id = ?", (plan, found.id))
            return _get(change, account)

    def suspend(self, account: str) -> Account:
        """Disable all that the account with this id has. Raises AccountNotFound."""
        return self._set_suspended(account, 1)

    def clear(self, account: str) -> Account:
        """End a suspension: all is again what it was before. Raises AccountNotFound."""
        return self._set_suspended(account, 0)

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

    def _set_suspended(self, account: str, wanted: int) -> Account:
        with self._database.change() as change:
            found = _get(change, account)
            change.write(_SUSPEND, (wanted, found.id, wanted))
            return _get(change, account)


def _get(reader: Change | Database, account: str) -> Account:
    # Other texts cannot even be asked for: a command line may hold bytes that are no text.
    rows = reader.read(f"{_SELECT} WHERE id = ?", (account,)) if account.isascii() else []
    if not rows:
        raise _unknown(account)
    return _to_account(rows[0])


def _to_account(row: Row) -> Account:
    # Not strict: SQL has 0 and 1 where the record has False and True.
    return msgspec.convert(dict(zip(_FIELDS, row, strict=True)), Account, strict=False)


def _unknown(name: str) -> AccountNotFound:
    hint = "`twinpress admin account list` shows those that there are"
    return AccountNotFound(f"there is no account `{redacted(name)}`", hint=hint)


def _wrong() -> WrongPassword:
    return WrongPassword("the email address or the password is wrong", hint="check both, also for capitals")
