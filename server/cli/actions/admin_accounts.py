"""`twinpress admin account ...`, but for suspensions."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from builder.errors import TwinpressError
from server.cli.terminal import console, question, record_table
from server.cli.terminal.record_table import Listing
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.accounts.emails import check_email
from server.control.accounts.own_account import OwnAccount
from server.control.audit import OPERATOR
from server.control.plans import PlanName
from server.control.sealing import open_keyring
from server.control.sign_in.time_codes import TimeCodes
from server.control.sqlite.data_folder import existing_data, open_data


def create(*, data: Path, email: str, plan: PlanName, operator: bool, password_stdin: bool) -> int:
    """Make an account and print its id."""
    email = check_email(email)  # before the password is asked for
    password = _password(asks=not password_stdin)
    with open_data(data) as database:
        made = Accounts(database).create(email, password, plan, operator=operator)
    console.line(made.id)
    console.note(f"The account `{made.email}` is created, on the plan {made.plan}.")
    return 0


def plan(*, data: Path, email: str, plan: PlanName) -> int:
    """Put an account on a plan."""
    with existing_data(data) as database:
        accounts = Accounts(database)
        account = accounts.set_plan(accounts.find(email).id, plan)
    console.note(f"The account `{account.email}` is on the plan {account.plan}.")
    return 0


def operator(*, data: Path, email: str, remove: bool) -> int:
    """Give an account the operator's rights, or take them."""
    with existing_data(data) as database:
        accounts = Accounts(database)
        account = accounts.set_operator(accounts.find(email).id, not remove)
    said = "looks after its own account alone" if remove else "may look after all accounts"
    console.note(f"The account `{account.email}` {said}.")
    return 0


def delete(*, data: Path, email: str, yes: bool) -> int:
    """Have an account deleted in seven days."""
    with existing_data(data) as database:
        found = Accounts(database).find(email)
        if not yes and not question.agreed(f"Delete the account {found.email} in seven days?"):
            console.note("Nothing was deleted.")
            return 2
        account = OwnAccount(database, found.id, by=OPERATOR).delete()
    console.note(f"The account `{account.email}` will be deleted on {record_table.local(account.delete_at)}.")
    console.note("Until then `twinpress admin account restore` keeps it.")
    return 0


def restore(*, data: Path, email: str) -> int:
    """Keep an account that was to be deleted."""
    with existing_data(data) as database:
        found = Accounts(database).find(email)
        account = OwnAccount(database, found.id, by=OPERATOR).restore()
    if account.delete_at is not None:
        hint = "what it had is being deleted; restore a backup into another folder to look at it"
        raise TwinpressError(f"the seven days of the account `{account.email}` are over", hint=hint)
    console.note(f"The account `{account.email}` stays.")
    return 0


def codes_off(*, data: Path, email: str) -> int:
    """Turn off the codes of an account."""
    with existing_data(data) as database:
        found = Accounts(database).find(email)
        had = TimeCodes(database, open_keyring(database, data)).turn_off(found.id, OPERATOR)
    if had:
        console.note(f"The account `{found.email}` is asked for no codes any more. Its activity says so.")
    else:
        console.note(f"The account `{found.email}` was asked for no codes: nothing was changed.")
    return 0


def list_(*, data: Path, as_json: bool) -> int:
    """Print what is known about all accounts."""
    with existing_data(data) as database:
        found = Accounts(database).list()
    LISTING.show(found, as_json=as_json)
    return 0


def _password(*, asks: bool) -> str:
    """From whoever sits there, or the first line of what is piped in."""
    if asks and sys.stdin is not None and sys.stdin.isatty():
        asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return asked
    line = sys.stdin.buffer.readline() if sys.stdin is not None else b""
    password = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
    if not password:
        hint = "write the password into its first line, or run the command in a terminal"
        raise TwinpressError("there is no password on standard input", hint=hint)
    return password


def state_of(account: Account) -> str:
    """A word for the state of an account."""
    return "suspended" if account.suspended else "active"


def _cells(account: Account) -> tuple[str, ...]:
    return account.email, account.plan, state_of(account), record_table.local(account.created_at), account.id


def _fields(account: Account) -> dict[str, str | None]:
    return {
        "id": account.id,
        "email": account.email,
        "plan": account.plan,
        "state": state_of(account),
        "operator": "yes" if account.operator else "no",
        "created_at": record_table.utc(account.created_at),
        "delete_at": record_table.utc(account.delete_at),
    }


LISTING = Listing(
    ("EMAIL", "PLAN", "STATE", "CREATED", "ID"),
    _cells,
    _fields,
    "There are no accounts. Create one with `twinpress admin account create`.",
)
