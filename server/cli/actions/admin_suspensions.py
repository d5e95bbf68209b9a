"""`twinpress admin account suspend` and `clear`, which wait until the databases of the account obey.

Apart from other commands for accounts: it loads what speaks to PostgreSQL.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from builder.errors import TwinpressError
from server.cli.actions.admin_accounts import state_of
from server.cli.terminal import console
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts, check_reason
from server.control.sqlite.data_folder import existing_data
from server.control.sqlite.database import ControlDatabase
from server.postgres.tenants.inventory import Present
from server.service.host_settings import DSN
from server.service.obey_suspension import Outcome, obey

SHOWN = 3
"""Sessions that are named while they are waited for."""


def suspend(*, data: Path, email: str, reason: str) -> int:
    """Disable what an account has."""
    check_reason(reason)
    return _obeyed(data, email, partial(Accounts.suspend, reason=reason))


def clear(*, data: Path, email: str) -> int:
    """Bring it back."""
    return _obeyed(data, email, Accounts.clear)


def _obeyed(data: Path, email: str, change: Callable[[Accounts, str], Account]) -> int:
    """Begin or end a suspension, and return when the databases of the account obey."""
    with existing_data(data) as database:
        accounts = Accounts(database)
        account = change(accounts, accounts.find(email).id)
        console.note(f"The account `{account.email}` is {state_of(account)}.")
        return _await(data, database, account)


def _await(data: Path, database: ControlDatabase, account: Account) -> int:
    outcome = obey(data.absolute(), database, account.id, os.environ.get(DSN, ""), _tell)
    if outcome.state == "stopped":
        console.note("The database server does not run: the change takes effect when it starts.")
    if outcome.state == "slow":
        raise _slow(outcome)
    return 0


def _tell(left: Sequence[Present], seconds: float) -> None:
    """Show which sessions the command waits for."""
    if left:
        said = "asked to end, and still open: " + "; ".join(_session(each) for each in left[:SHOWN])
        said += f"; and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
    else:
        said = "the databases have not changed yet"
    console.note(f"Waiting for {seconds:.0f} s: {said}.")


def _slow(outcome: Outcome) -> TwinpressError:
    """The error after a long wait, with a hint on what to do."""
    if not outcome.left or not outcome.closed:
        hint = "read the output of `twinpress host`; the service goes on trying"
        return TwinpressError("some databases of the account have not changed yet", hint=hint)
    sessions = "; ".join(_session(each) for each in outcome.left)
    message = f"nobody can log in any more, but sessions that were asked to end go on: {sessions}"
    if outcome.forces:
        return TwinpressError(message, hint="`twinpress host` ends them by force: read its output")
    pids = " ".join(str(each.process) for each in outcome.left)
    hint = f"on the server's machine, `kill -KILL {pids}` ends them, and all other sessions too"
    return TwinpressError(message, hint=hint)


def _session(present: Present) -> str:
    return f"process {present.process} of {present.name}, busy for {present.busy:.0f} s"
