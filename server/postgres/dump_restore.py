"""Dump and restore of one database, with the programs of PostgreSQL that fit the server.

The password goes through the environment, which others cannot see as they see a command line. A dump holds
neither owners nor grants: it can be restored into any database, by the role that owns the schema `public`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Literal

from msgspec import Struct
from psycopg.pq import Conninfo

from server.postgres.errors import ToolFailed
from server.postgres.run.binaries import PostgresPrograms
from server.postgres.run.user import KEPT
from server.postgres.server import DatabaseServer
from server.process.disk import write_whole

Form = Literal["custom", "plain"]
"""`custom` is compressed and for `restore`; `plain` is SQL for people and other programs."""

LOCK_SECONDS = 30
"""Seconds that a dump waits for a table, which its tenant may keep locked for ever."""
SHOWN = 8
"""Lines of a program's words in an error."""
_PORTABLE = ("--no-owner", "--no-acl", "--no-password")
_MAGIC = b"PGDMP"
_PLAIN = ("local_preload_libraries=", "client_encoding=UTF8", "array_nulls=on")
_ENDLESS = ("statement", "lock", "idle_in_transaction_session", "idle_session")
"""Settings that a tenant may have changed for its role: sessions would fail, or NULL become a word."""
_OF_EXTENSION = " COMMENT - EXTENSION "


class Login(Struct, frozen=True, kw_only=True):
    """One database, and the role that dumps or restores it. The password is in no text of this object."""

    server: DatabaseServer
    database: str
    role: str
    password: str

    def __repr__(self) -> str:
        return f"Login({self.role!r} to {self.database!r} on {self.server.host}:{self.server.port})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("role", self.role), ("database", self.database)]

    def environment(self) -> dict[str, str]:
        """Return the environment of the programs: how to connect, nothing of the service's own."""
        server = self.server
        values = dict(server.parameters) | {
            "host": server.host,
            "port": str(server.port),
            "sslmode": server.sslmode,
            "dbname": self.database,
            "user": self.role,
            "password": self.password,
            "application_name": "twinpress",
            "options": _options(server),
        }
        # Variables, and not a connection string: older programs pass over those that they do not know.
        variables = {
            each.keyword.decode(): each.envvar.decode() for each in Conninfo.get_defaults() if each.envvar
        }
        own = {name: os.environ[name] for name in KEPT if name in os.environ} | {"LC_ALL": "C"}
        return own | {variables[name]: value for name, value in values.items() if name in variables}


def _options(server: DatabaseServer) -> str:
    """Those of the connection string, and what goes before all that the role has set for itself."""
    given = [value for name, value in server.parameters if name == "options"]
    limits = (*_ENDLESS, "transaction") if server.major >= 17 else _ENDLESS
    plain = (*_PLAIN, *(f"{each}_timeout=0" for each in limits))
    return " ".join((*given, *(f"-c {each}" for each in plain)))


def dump(
    programs: PostgresPrograms,
    login: Login,
    file: Path | None,
    form: Form = "custom",
    *,
    lock_seconds: int = LOCK_SECONDS,
) -> None:
    """Write the database to a file, whole or not at all, for one's own eyes; None is standard output.

    Raises ToolFailed, also for a table that somebody keeps locked for so long; a file that was there is as it
    was then.
    """
    waits = f"--lock-wait-timeout={lock_seconds * 1000}"
    command = [programs.path("pg_dump"), f"--format={form}", waits, *_PORTABLE]
    if file is None:
        return _run(command, login, stdout=sys.stdout.buffer)
    with _allowed(file):
        return write_whole(file, lambda beside: _run(command, login, stdout=beside))


def restore(programs: PostgresPrograms, login: Login, file: Path | None) -> None:
    """Put what a dump of either form holds into a database that is there; None is standard input.

    It is one transaction: all or nothing. Raises ToolFailed. A plain dump is a script for psql, which may
    start programs: restore those alone whose origin you know.
    """
    with _allowed(file or Path("-")), _seekable(file) as (source, custom):
        once = ("--single-transaction", f"--dbname={login.database}")
        if not custom:
            options = ("--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1", f"--file={source}")
            return _run([programs.path("psql"), *options, *once], login)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as contents:
            contents.writelines(_contents(programs, login, source))
            contents.flush()
            options = ("--exit-on-error", *_PORTABLE, f"--use-list={contents.name}")
            return _run([programs.path("pg_restore"), *options, *once, source], login)


def _contents(programs: PostgresPrograms, login: Login, source: str) -> Iterator[str]:
    """Yield the entries to restore: all but comments on extensions, which may belong to others."""
    with tempfile.TemporaryFile() as listed:
        _run([programs.path("pg_restore"), "--list", source], login, stdout=listed)
        listed.seek(0)
        lines = listed.read().decode().splitlines(keepends=True)
    yield from (line for line in lines if _OF_EXTENSION not in line)


def _run(command: Sequence[str], login: Login, *, stdout: IO[bytes] | int = subprocess.DEVNULL) -> None:
    done = subprocess.run(  # noqa: S603 - the programs are PostgreSQL's, the arguments our own
        command,
        env=login.environment(),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-SHOWN:]
        name = Path(command[0]).name
        message = f"{name} gave up, and nothing was changed: {' / '.join(said) or done.returncode}"
        raise ToolFailed(message, hint="correct what it says, and try again")


@contextmanager
def _seekable(file: Path | None) -> Iterator[tuple[str, bool]]:
    """The path of a dump that can be read twice, and whether its form is `custom`."""
    if file is not None:
        with file.open("rb") as opened:
            custom = opened.read(len(_MAGIC)) == _MAGIC
        yield str(file), custom
        return
    with tempfile.NamedTemporaryFile() as spooled:
        copyfileobj(sys.stdin.buffer, spooled)
        spooled.flush()
        spooled.seek(0)
        yield spooled.name, spooled.read(len(_MAGIC)) == _MAGIC


@contextmanager
def _allowed(file: Path) -> Iterator[None]:
    """Turn what the operating system refuses into a ToolFailed."""
    try:
        yield
    except OSError as error:
        message = f"the dump cannot be read or written: {error.strerror}"
        raise ToolFailed(message, path=str(error.filename or file), hint="name another file") from error
