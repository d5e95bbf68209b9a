"""`twinpress admin database ...` and `twinpress admin audit`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from server.cli.terminal import console, question, record_table
from server.cli.terminal.record_table import Listing
from server.control import audit
from server.control.accounts.accounts import Accounts
from server.control.plans import PLANS
from server.control.sealing import open_keyring
from server.control.sqlite.data_folder import existing_data
from server.control.sqlite.database import ControlDatabase
from server.hosting import compare, hosted
from server.hosting.hosted import Hosted
from server.hosting.idempotency import Ask
from server.hosting.intents import Intents, not_found

Change = Callable[[Intents, Ask, str], object]
HEAD = ("ID", "NAME", "STATUS", "SIZE", "CREATED", "ACCOUNT")


def list_(*, data: Path, email: str, as_json: bool) -> int:
    """Print what is known about databases, and what lies about on the server."""
    with existing_data(data) as database:
        accounts = Accounts(database)
        wanted = accounts.find(email).id if email else ""
        emails = {each.id: each.email for each in accounts.list()}
        found = [row for row in hosted.every(database) if not wanted or row.account == wanted]
        nobodys = compare.known_orphans(database)
    _listing(emails).show(found, as_json=as_json)
    for row in found:
        if row.lost:
            console.note(f"{row.id} is missing on the server: `database recreate` creates it again, empty.")
        if row.last_error:
            console.note(f"{row.id}: {row.last_error}")
    for each in nobodys:
        whose = f"belongs to no account, as was first seen {record_table.local(each.seen_at)}"
        console.note(f"{each.name} is on the server and {whose}; it is left alone.")
    return 0


def delete(*, data: Path, database: str, yes: bool) -> int:
    """Have a database removed."""
    with existing_data(data) as control:
        row = _present(control, database)
        named = f"{_named(row)} of {Accounts(control).get(row.account).email}"
        if not yes and not question.agreed(f"Delete the database {named} for good?"):
            console.note("Nothing was deleted.")
            return 2
        _change(data, control, row, Intents.delete)
    console.note(f"The database {named} is deleted; the server drops it as soon as it can.")
    return 0


def recreate(*, data: Path, database: str) -> int:
    """Have a lost database made again."""
    with existing_data(data) as control:
        row = _present(control, database)
        _change(data, control, row, Intents.recreate)
    console.note(f"The database {_named(row)} is created again, empty.")
    return 0


def _present(control: ControlDatabase, id: str) -> Hosted:
    """Look up a database of any account: the operator need not say whose."""
    row = hosted.one(control, id)
    if row is None or row.wanted == "absent":
        raise not_found(id)
    return row


def _change(data: Path, control: ControlDatabase, row: Hosted, change: Change) -> None:
    """Ask for a change in the name of the database's owner."""
    intents = Intents(control, open_keyring(control, data), PLANS, time.time)
    change(intents, Ask(row.account, audit.OPERATOR), row.id)


def _named(row: Hosted) -> str:
    """By the name that its owner has chosen, and the id alone where that is the same."""
    return f"`{row.name}`" if row.name == row.id else f"`{row.name}` ({row.id})"


def audit_(*, data: Path, email: str, limit: int, as_json: bool) -> int:
    """Print the audit log of an account."""
    with existing_data(data) as database:
        account = Accounts(database).find(email).id
        found = audit.events(database, account, limit + 1 if limit else 0)
    EVENTS.show(found[:limit] if limit else found, as_json=as_json)
    if limit and len(found) > limit:
        console.note("There are older events: `--limit 0` shows all.")
    return 0


def _listing(emails: dict[str, str]) -> Listing[Hosted]:
    """With the addresses of accounts by id."""
    return Listing(HEAD, lambda row: _cells(row, emails), lambda row: _fields(row, emails))


def _cells(row: Hosted, emails: dict[str, str]) -> tuple[str, ...]:
    size = "" if row.size_bytes is None else f"{row.size_bytes / 1_000_000:,.1f} MB"
    return row.id, row.name, row.status, size, record_table.local(row.created_at), emails.get(row.account, "")


def _fields(row: Hosted, emails: dict[str, str]) -> dict[str, object]:
    return {
        "id": row.id,
        "name": row.name,
        "account": emails.get(row.account),
        "status": row.status,
        "size_bytes": row.size_bytes,
        "created_at": record_table.utc(row.created_at),
        "updated_at": record_table.utc(row.updated_at),
        "password_rotated_at": record_table.utc(row.password_rotated_at),
        "last_error": row.last_error,
    }


def _event_cells(event: audit.Event) -> tuple[str, ...]:
    times = str(event.count) if event.count > 1 else ""
    return record_table.local(event.at), event.action, event.subject, event.actor, event.request, times


def _event_fields(event: audit.Event) -> dict[str, object]:
    return {
        "at": record_table.utc(event.at),
        "action": event.action,
        "subject": event.subject,
        "actor": event.actor,
        "request": event.request,
        "count": event.count,
        "last_at": record_table.utc(event.at if event.last_at is None else event.last_at),
    }


EVENTS = Listing(("AT", "ACTION", "SUBJECT", "ACTOR", "REQUEST", "TIMES"), _event_cells, _event_fields)
