"""`twinpress admin account invite` and `reset`: links that open the service's dashboard once."""

from __future__ import annotations

from pathlib import Path

from builder.errors import TwinpressError
from server.cli.terminal import console
from server.control.accounts.accounts import Accounts
from server.control.sign_in.one_time_links import OneTimeLinks, Purpose
from server.control.sqlite.data_folder import existing_data
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.saved_choice import known
from server.dashboard.service_address import ADDRESS, SIGN_UP


def invite(*, data: Path) -> int:
    """Print a link that makes one account."""
    with existing_data(data) as database:
        link = _link(database, "invite")
        closed = known(database, SIGN_UP) == "closed"
    console.line(link)
    console.note("This link creates one account, on the free plan, within seven days.")
    if closed:
        console.note("The service refuses it until it is started with `--sign-up invite`.")
    return 0


def reset(*, data: Path, email: str) -> int:
    """Print a link to a new password."""
    with existing_data(data) as database:
        account = Accounts(database).find(email)
        link = _link(database, "reset", account.id)
    console.line(link)
    console.note(f"With this link `{account.email}` chooses a new password, within an hour.")
    return 0


def _link(database: ControlDatabase, purpose: Purpose, account: str | None = None) -> str:
    """Raises TwinpressError where nobody knows the address of the service yet."""
    origin = known(database, ADDRESS)
    if origin is None:
        message = "the address of the service is not known yet"
        raise TwinpressError(message, hint="start `twinpress host` once with this folder")
    return f"{origin}/{purpose}/{OneTimeLinks(database).create(purpose, account)}"
