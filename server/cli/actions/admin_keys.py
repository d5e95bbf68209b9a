"""`twinpress admin db-key ...`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from server.cli.terminal import console, record_table
from server.cli.terminal.record_table import Listing
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.keys.management_key import ManagementKey
from server.control.keys.management_keys import ManagementKeys, NewValue
from server.control.sqlite.data_folder import existing_data


def create(*, data: Path, email: str, label: str) -> int:
    """Create a key, print it and forget it."""
    with existing_data(data) as database:
        made = ManagementKeys(database).create(Accounts(database).find(email).id, label)
    return _show(made, "created")


def rotate(*, data: Path, key: str) -> int:
    """Print a key's new value and forget it."""
    with _keys(data) as keys:
        made = keys.rotate(key)
    return _show(made, "rotated, and its old value opens nothing any more")


def list_(*, data: Path, email: str, as_json: bool) -> int:
    """Print what is known about the keys of an account."""
    with existing_data(data) as database:
        account = Accounts(database).find(email)
        found = ManagementKeys(database).list(account.id)
    LISTING.show(found, as_json=as_json)
    if account.suspended and not as_json:
        _tell_rest(account, found)
    return 0


def disable(*, data: Path, key: str) -> int:
    """Disable a key."""
    with _keys(data) as keys:
        console.note(f"The {_named(keys.disable(key))} is disabled.")
    return 0


def enable(*, data: Path, key: str) -> int:
    """Enable a key."""
    with _keys(data) as keys:
        record = keys.enable(key)
    end = ", and works when the suspension of its account is over" if record.suspended else ""
    console.note(f"The {_named(record)} is enabled{end}.")
    return 0


def delete(*, data: Path, key: str) -> int:
    """Delete a key."""
    with _keys(data) as keys:
        record = keys.get(key)
        keys.delete(key)
    console.note(f"The {_named(record)} is deleted.")
    return 0


@contextmanager
def _keys(data: Path) -> Iterator[ManagementKeys]:
    with existing_data(data) as database:
        yield ManagementKeys(database)


def _show(made: NewValue, what: str) -> int:
    console.write(f"{made.text}\n")
    console.note(f"The {_named(made.record)} is {what}. It is not shown again: copy it now.")
    if made.record.suspended:
        console.note("It is disabled while its account is suspended.")
    elif made.record.disabled:
        console.note(f"It is still disabled: `twinpress admin db-key enable {made.record.id}` lets it work.")
    return 0


def _tell_rest(account: Account, keys: Iterable[ManagementKey]) -> None:
    """Name the keys that stay disabled after the suspension: until then all are shown as disabled."""
    console.note(f"The account `{account.email}` is suspended: its keys open nothing until that ends.")
    for key in keys:
        if key.disabled:
            console.note(f"The {_named(key)} is disabled, and stays disabled then.")


def _named(record: ManagementKey) -> str:
    label = f" `{record.label}`" if record.label else ""
    return f"key{label} {record.id}"


def _cells(record: ManagementKey) -> tuple[str, ...]:
    created, used = record_table.local(record.created_at), record_table.local(record.last_used_at)
    return record.id, record.last_four, record.state, created, used, record.label


def _fields(record: ManagementKey) -> dict[str, str | None]:
    return {
        "id": record.id,
        "label": record.label,
        "state": record.state,
        "created_at": record_table.utc(record.created_at),
        "last_used_at": record_table.utc(record.last_used_at),
        "last_four": record.last_four,
    }


LISTING = Listing(
    ("ID", "ENDS WITH", "STATE", "CREATED", "LAST USED", "LABEL"),
    _cells,
    _fields,
    "This account has no keys. Create one with `twinpress admin db-key create`.",
)
