"""Programs that the server's user can run: where they are, or copied to where it can read them.

A virtual environment below a home folder is often closed to others. The copy belongs to us, so that the
server's user cannot change what we run, and everybody may read it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from msgspec.structs import replace

from server.postgres.errors import EngineMissing
from server.postgres.run.binaries import PostgresPrograms
from server.postgres.run.server_files import ServerFiles
from server.postgres.run.user import RunAs
from server.process.interrupts import breakable

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
        hint = "see that its disk is not mounted with noexec"
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
