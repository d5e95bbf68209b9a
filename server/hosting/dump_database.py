"""Dump one hosted database of a service that runs, while its sessions and limits stay as they are."""

from __future__ import annotations

from pathlib import Path

from server.control.sealing import Keyring, password_of
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.hosting.enforce_session_limits import spare
from server.hosting.hosted import Hosted
from server.postgres import dump_restore
from server.postgres.dump_restore import Login
from server.postgres.errors import ToolFailed
from server.postgres.run.binaries import find_tools
from server.postgres.server import DatabaseServer


def dump_database(
    control: ControlDatabase,
    keyring: Keyring,
    server: DatabaseServer,
    bin_dir: Path | None,
    *,
    id: str,
    target: Path,
) -> bool:
    """Write a database to a file; False when it was deleted meanwhile. Raises ToolFailed and EngineError."""
    row = in_use(control, id)
    if row is None:
        return False
    try:
        with spare(control, id):
            dump_restore.dump(find_tools(bin_dir, server), _login(keyring, server, row), target)
    except ToolFailed:
        if in_use(control, id) is None:
            return False
        raise
    return True


def in_use(control: ControlDatabase, id: str) -> Hosted | None:
    """The database with this id, unless it is not there yet, or not wanted any more."""
    row = hosted.one(control, id)
    return row if row is not None and row.is_in_use else None


def own_login(keyring: Keyring, server: DatabaseServer, row: Hosted) -> Login:
    """The database's own user. Raises SecretError."""
    password = keyring.open(row.password or "", password_of(row.id))
    return Login(server=server, database=row.id, role=row.id, password=password)


def _login(keyring: Keyring, server: DatabaseServer, row: Hosted) -> Login:
    """The administrator, whom neither a lock nor a limit keeps out; else the database's own user."""
    if server.superuser or row.is_locked or row.password is None:
        return Login(server=server, database=row.id, role=server.user, password=server.password)
    return own_login(keyring, server, row)
