"""`twinpress db dump` and `twinpress db restore`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builder.errors import TwinpressError
from server.cli.terminal import console
from server.control.sealing import open_keyring, password_of
from server.control.sqlite.data_folder import existing_data
from server.hosting import hosted
from server.hosting.enforce_session_limits import spare
from server.hosting.hosted import Hosted
from server.hosting.intents import not_found
from server.postgres import dump_restore
from server.postgres.dump_restore import Login
from server.postgres.errors import EngineUnavailable
from server.postgres.run.binaries import PostgresPrograms, find_tools
from server.service.host_settings import DSN
from server.service.postgres_server import reached

STREAM = Path("-")


def dump(*, data: Path, database: str, output: Path, plain: bool, db_bin_dir: Path | None) -> int:
    """Write a database into a file."""
    with _opened(data, database, db_bin_dir) as (programs, login, row):
        # Its owner may want what is there also when nobody may log in.
        able = _of_administrator(login) if row.is_locked else login
        dump_restore.dump(programs, able, _file(output), "plain" if plain else "custom")
    if output != STREAM:
        console.note(f"{console.nearby(output)} has all of `{row.name}`: {output.stat().st_size:,} bytes.")
    return 0


def restore(*, data: Path, database: str, file: Path, db_bin_dir: Path | None) -> int:
    """Bring a dump into a database."""
    with _opened(data, database, db_bin_dir) as (programs, login, row):
        if row.suspended:
            hint = "`twinpress admin account clear` ends the suspension"
            raise TwinpressError(f"the account of `{row.name}` is suspended", hint=hint)
        if row.shut_why == "session":
            hint = "wait: see its record"
            raise TwinpressError(f"`{row.name}` is shut: a session of it had to be ended by force", hint=hint)
        if row.shut_why == "settings":
            hint = "wait: see its record"
            raise TwinpressError(
                f"`{row.name}` is shut: settings of its user filled the disk of all", hint=hint
            )
        if row.is_locked:
            hint = "a larger plan opens it, or time: see its record"
            raise TwinpressError(f"`{row.name}` has grown far beyond its storage, and is shut", hint=hint)
        dump_restore.restore(programs, login, _file(file))
    console.note(f"`{row.name}` has the data of the dump.")
    return 0


@contextmanager
def _opened(data: Path, id: str, bin_dir: Path | None) -> Iterator[tuple[PostgresPrograms, Login, Hosted]]:
    """The programs that fit the server, and the database as its own user sees it."""
    with existing_data(data) as control:
        row = hosted.one(control, id)
        if row is None or row.wanted == "absent" or row.password is None:
            raise not_found(id)
        server = reached(data.absolute(), control, os.environ.get(DSN, ""))
        if server is None:
            raise EngineUnavailable("the database server does not run", hint="start it with `twinpress host`")
        password = open_keyring(control, data).open(row.password, password_of(row.id))
        login = Login(server=server, database=row.id, role=row.id, password=password)
        with spare(control, row.id):
            yield find_tools(bin_dir, server), login, row


def _of_administrator(login: Login) -> Login:
    server = login.server
    return Login(server=server, database=login.database, role=server.user, password=server.password)


def _file(path: Path) -> Path | None:
    return None if path == STREAM else path
