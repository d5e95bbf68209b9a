"""Documents of an account for its export: what is known about it, and nothing that opens anything."""

from __future__ import annotations

import time

import msgspec
from msgspec import Struct

from server.control.accounts.account import Account
from server.control.keys.key_record import KeyRecord
from server.control.keys.management_key import ManagementKey
from server.control.sqlite.database import ControlDatabase
from server.hosting.hosted import Hosted

_SESSIONS = """
    SELECT id, client, address, created_at, last_used_at, ends_at FROM browser_sessions
    WHERE account = ? ORDER BY created_at, id
"""
_PASSKEYS = "SELECT label, created_at, last_used_at FROM passkeys WHERE account = ? ORDER BY created_at, id"
_CODES = "SELECT 1 FROM time_codes WHERE account = ? AND confirmed = 1"
_RECOVERY = "SELECT COUNT(*) FROM recovery_codes WHERE account = ?"


class KeyEntry(Struct, frozen=True):
    """A key without its value. Times are whole seconds since 1970, UTC."""

    id: str
    label: str
    last_four: str
    state: str
    created_at: int
    last_used_at: int | None
    expires_at: int | None = None


class DatabaseEntry(Struct, frozen=True):
    """A database without its password."""

    id: str
    name: str
    status: str
    size_bytes: int | None
    created_at: int
    password_rotated_at: int | None


def key_entry(key: KeyRecord | ManagementKey) -> KeyEntry:
    """The entry of a key of either kind."""
    if isinstance(key, KeyRecord):
        state, ends = key.state(time.time()), key.expires_at
        return KeyEntry(key.id, key.label, key.last_four, state, key.created_at, key.last_used_at, ends)
    return KeyEntry(key.id, key.label, key.last_four, key.state, key.created_at, key.last_used_at)


def database_entry(row: Hosted) -> DatabaseEntry:
    """The entry of a database."""
    return DatabaseEntry(
        row.id, row.name, row.status, row.size_bytes, row.created_at, row.password_rotated_at
    )


def account_record(control: ControlDatabase, account: Account) -> dict[str, object]:
    """The account, and the ways in which its owner signs in."""
    ((left,),) = control.read(_RECOVERY, (account.id,))
    return {
        **msgspec.structs.asdict(account),
        "codes": bool(control.read(_CODES, (account.id,))),
        "recovery_codes_left": left,
        "passkeys": _rows(control, _PASSKEYS, account.id, ("label", "created_at", "last_used_at")),
    }


def sessions(control: ControlDatabase, account: str) -> list[dict[str, object]]:
    """The sessions of the account in browsers."""
    names = ("id", "client", "address", "created_at", "last_used_at", "ends_at")
    return _rows(control, _SESSIONS, account, names)


def _rows(
    control: ControlDatabase, sql: str, account: str, names: tuple[str, ...]
) -> list[dict[str, object]]:
    return [dict(zip(names, row, strict=True)) for row in control.read(sql, (account,))]
