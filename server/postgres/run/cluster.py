"""The data directory (PostgreSQL's cluster): made once, whole or not at all, and configured at each start."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from server.postgres.errors import EngineError
from server.postgres.run import pg_hba
from server.postgres.run.binaries import PostgresPrograms
from server.postgres.run.postgresql_conf import INCLUDED, NAME
from server.postgres.run.server_files import ServerFiles, make_folder, read_file, write_file
from server.postgres.run.service_locks import claimed
from server.postgres.run.user import RunAs
from server.postgres.server import HIDDEN
from server.process.disk import sync_folder
from server.process.interrupts import breakable


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
        raise EngineError(message, path=str(data), hint="restore it from a copy, or remove the folder")
    if major == str(programs.major):
        return
    message = f"the data are of PostgreSQL {major}, and the programs of version {programs.version}"
    hint = (
        f"name the folder of programs of version {major}; to upgrade, dump each database with them, "
        f"move this folder away, and restore with version {programs.major}"
    )
    raise EngineError(message, path=str(data), hint=hint)


UNFINISHED = "new-"
LOCALES = ("C.UTF-8", "C")
"""The first has the letters of all languages; some machines know the second alone."""
PATIENCE = 120.0
"""Seconds after which it is given up; it takes one or two."""

_SHELL = frozenset('$`"\\\n')
"""Signs that a shell does not take as they are between double quotes, in which initdb puts paths."""
_FIXED = ("--auth=scram-sha-256", "--encoding=UTF8", "--data-checksums", "--no-instructions")


@dataclass(frozen=True, slots=True)
class Making:
    """The means to make a data directory. `lock` is held by initdb as long as it works."""

    programs: PostgresPrograms
    user: RunAs
    password: str = field(repr=False)
    lock: int
    durable: bool


def create(place: ServerFiles, making: Making) -> None:
    """Make the data directory beside its place first: one whose making was killed is never taken for whole.

    Raises EngineError.
    """
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=place.root))
    make_folder(unfinished, making.user)
    try:
        with _for_a_shell(making.programs) as programs:
            data = _initialized(unfinished, replace(making, programs=programs))
        write_file(data / "pg_hba.conf", pg_hba.closed().encode(), making.user)
        data.rename(place.data)
        sync_folder(place.root)
    finally:
        shutil.rmtree(unfinished)


@contextmanager
def _for_a_shell(programs: PostgresPrograms) -> Iterator[PostgresPrograms]:
    """The same programs, by a path that a shell takes as it is: initdb runs the server through one.

    Links would not do, as initdb goes by its real path: the two programs are copied, and all else is linked.
    Raises EngineError when the folder of temporary files has such signs, too.
    """
    if not _SHELL & set(str(programs.folder)):
        yield programs
        return
    with tempfile.TemporaryDirectory(prefix="twinpress-initdb-") as folder:
        if _SHELL & set(folder):
            message = f"initdb runs the server through a shell, which misreads this path: {programs.folder}"
            hint = 'name a data folder, and programs, without $ ` " and \\ in their paths'
            raise EngineError(message, path=folder, hint=hint)
        yield msgspec.structs.replace(programs, folder=_copied(programs, Path(folder)))


def _copied(programs: PostgresPrograms, to: Path) -> Path:
    """The folder of copied programs, with all that they look for beside it, and two levels above it."""
    real = programs.folder.resolve()
    installation = to / "package" / "installation"
    copies = installation / "bin"
    copies.mkdir(0o755, parents=True)
    for name in ("initdb", "postgres"):
        shutil.copy(real / name, copies)
    for beside in real.parent.iterdir():
        if beside != real:
            (installation / beside.name).symlink_to(beside)
    libraries = real.parents[1].with_name(f"{real.parents[1].name}.libs")
    (to / libraries.name).symlink_to(libraries)
    for folder in (to, to / "package", installation, copies):
        folder.chmod(0o755)
    return copies


def _initialized(folder: Path, making: Making) -> Path:
    said = ""
    for locale in LOCALES:
        data = folder / locale
        try:
            _initdb(data, making, locale)
        except subprocess.CalledProcessError as error:
            # The server that it runs repeats a statement that fails: one of them has the password.
            said = (error.stderr or error.stdout).replace(making.password, HIDDEN).strip()[-1500:]
            if "invalid locale" not in said:
                break
        except subprocess.TimeoutExpired:
            said = f"initdb did not end within {PATIENCE:.0f} seconds"
            break
        else:
            return data
    raise EngineError(f"the data directory could not be created: {said}", path=str(folder.parent))


def _initdb(data: Path, making: Making, locale: str) -> None:
    # The password goes through a pipe: on a command line all could see it, and a file might be left behind.
    pipe = data.with_name(f"{data.name}.password")
    os.mkfifo(pipe, 0o600)
    if making.user.dropped:
        os.chown(pipe, making.user.uid, making.user.gid, follow_symlinks=False)
    where = (making.programs.path("initdb"), "-D", data, "-U", pg_hba.ADMIN, "--pwfile", pipe)
    how = (*_FIXED, f"--locale={locale}", *(() if making.durable else ("--no-sync",)))
    # Opened for both directions it waits for nobody. initdb has it too, so as not to wait for us when we die.
    descriptor = os.open(pipe, os.O_RDWR | os.O_NOFOLLOW)
    try:
        os.write(descriptor, f"{making.password}\n".encode())
        with subprocess.Popen(  # noqa: S603 - the arguments are our own
            [*where, *how],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=(making.lock, descriptor),
            # Ctrl+C in the terminal is for us alone: we end it, with all that it has started.
            start_new_session=True,
            **making.user.options(),
        ) as process:
            said, complaint = _said(process)
    finally:
        os.close(descriptor)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, "initdb", said, complaint)


def _said(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Read all that a process prints until its end; it and all that it has started end with this."""
    try:
        with breakable():
            return process.communicate(timeout=PATIENCE)
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        # Its end is that of the last one who could write into the folder, which is removed then.
        process.communicate()
        raise
