"""Accounts as rows of the database."""

from __future__ import annotations

from msgspec import Struct

from builder.redaction import redacted
from server.control.errors import AccountNotFound, LastOperator
from server.control.plans import PlanName
from server.control.sqlite.database import ControlDatabase, Row, Transaction, record_of
from server.struct_types import prepare


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
    operator: bool = False
    """Whether it may look after all accounts."""
    reason: str = ""
    """Why it is suspended, in its operator's words."""
    delete_at: int | None = None
    """When it is deleted, unless its owner restores it before."""


prepare(Account)
_FIELDS = Account.__struct_fields__
SELECT = f"SELECT {', '.join(_FIELDS)} FROM accounts"  # noqa: S608 - constants alone


def get(reader: Transaction | ControlDatabase, account: str) -> Account:
    """The account with this id. Raises AccountNotFound."""
    # Other texts cannot even be asked for: a command line may hold bytes that are no text.
    rows = reader.read(f"{SELECT} WHERE id = ?", (account,)) if account.isascii() else []
    if not rows:
        raise unknown(account)
    return to_account(rows[0])


def check_last_operator(change: Transaction, account: Account) -> None:
    """Raise LastOperator where nobody could look after the accounts without this one."""
    others = "SELECT 1 FROM accounts WHERE operator = 1 AND suspended = 0 AND delete_at IS NULL AND id != ?"
    if account.operator and not change.read(others, (account.id,)):
        hint = "make another account an operator first; `twinpress admin account operator` does that, too"
        raise LastOperator("this is the only account that can look after all others", hint=hint)


def to_account(row: Row) -> Account:
    """The record of a row of SELECT."""
    return record_of(Account, row)


def unknown(name: str) -> AccountNotFound:
    """There is none with this id or address."""
    hint = "`twinpress admin account list` shows those that there are"
    return AccountNotFound(f"there is no account `{redacted(name)}`", hint=hint)
