"""The data directory: made once, whole or not at all, and configured at each start."""

from __future__ import annotations

import shutil
from pathlib import Path

from server.postgres.errors import EngineError
from server.postgres.run.binaries import PostgresPrograms
from server.postgres.run.initdb import PATIENCE, UNFINISHED, Making, create
from server.postgres.run.postgresql_conf import INCLUDED, NAME
from server.postgres.run.server_files import ServerFiles, make_folder, read_file, write_file
from server.postgres.run.sharing import claimed
from server.postgres.run.user import RunAs


def prepare(
    place: ServerFiles, programs: PostgresPrograms, user: RunAs, password: str, *, durable: bool
) -> None:
    """See that there is a data directory of the programs' version. Only one process may do so at a time.

    Raises EngineError, also when the data are of another major version.
    """
    make_folder(place.run, user)
    if place.data.exists():
        _clear(place)
        _check_version(place.data, programs)
        return
    # An initdb whose service was killed goes on, and removes what it made when it fails.
    with claimed(place, PATIENCE) as lock:
        _clear(place)
        create(place, Making(programs, user, password, lock, durable))


def configure(place: ServerFiles, text: str, user: RunAs) -> None:
    """Write our settings, and see that PostgreSQL reads them."""
    write_file(place.data / NAME, text.encode(), user)
    main = place.data / "postgresql.conf"
    old = read_file(main) or ""
    if INCLUDED not in old:
        write_file(main, (old + INCLUDED).encode(), user)


def configured(place: ServerFiles) -> str:
    """Our settings as they were written last, or nothing."""
    return read_file(place.data / NAME) or ""


def admit(place: ServerFiles, text: str, user: RunAs) -> None:
    """Write who may connect; a running server has yet to be told."""
    write_file(place.data / "pg_hba.conf", text.encode(), user)


def _clear(place: ServerFiles) -> None:
    """Remove what a killed service had not finished."""
    for unfinished in place.root.glob(f"{UNFINISHED}*"):
        shutil.rmtree(unfinished)


def _check_version(data: Path, programs: PostgresPrograms) -> None:
    major = (read_file(data / "PG_VERSION") or "").strip()
    if not major:
        message = "this is no data directory of PostgreSQL"
        raise EngineError(message, path=str(data), hint="put it back from a copy, or remove the folder")
    if major == str(programs.major):
        return
    message = f"the data are of PostgreSQL {major}, and the programs of version {programs.version}"
    hint = (
        f"name the folder of programs of version {major}; to move on, dump each database with them, "
        f"move this folder away, and restore with version {programs.major}"
    )
    raise EngineError(message, path=str(data), hint=hint)
