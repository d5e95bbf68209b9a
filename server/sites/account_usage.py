"""Usage of accounts: numbers from rows as they are now; sizes and former sign-ins as they were measured.

To look at each file of each site takes long, so it is done behind everything else, by one process of the
service, and what was found is kept in a file with its time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from builder.store import reserve
from builder.store.lock import STATE
from server.control.sqlite.database import ControlDatabase
from server.process.disk import write_whole
from server.process.file_lock import lock_file
from server.struct_types import prepare

EVERY = 600.0
"""Seconds after which the sizes are measured again."""
_LEFT_OUT = ("/.twinpress/cache", f"/{'/'.join(STATE)}/{reserve.NAME}")
"""The parts of a site's folder that do not count: what is made anew, and room for a full disk."""
_SITES = "SELECT account, id, delete_at IS NULL FROM sites"
_DATABASES = """
    SELECT account, COUNT(*), COALESCE(SUM(size_bytes), 0) FROM databases
    WHERE wanted = 'present' GROUP BY account
"""
_SESSIONS = "SELECT account, MAX(created_at) FROM browser_sessions GROUP BY account"
_SIGN_INS = "SELECT account, MAX(at) FROM audit WHERE action = 'session.begin' GROUP BY account"


class AccountUsage(Struct, frozen=True):
    """The use that an account makes of the service; bytes of sites are those of the last measuring.

    `signed_in_at` is in seconds since 1970, 0 for who did not within the time that events are kept.
    """

    sites: int = 0
    databases: int = 0
    site_bytes: int = 0
    database_bytes: int = 0
    signed_in_at: int = 0

    @property
    def bytes(self) -> int:
        """Return the bytes of all that it has."""
        return self.site_bytes + self.database_bytes


class MeasuredUsage(Struct, frozen=True):
    """The bytes of sites and the last sign-ins of accounts, by id, as measured `at` seconds since 1970."""

    at: int = 0
    sites: Mapping[str, int] = {}
    sign_ins: Mapping[str, int] = {}


prepare(MeasuredUsage)


class UsageMeter:
    """Measures sites whose folders, by id, are in `folders`; keeps what it finds in `file`.

    Safe to use from several threads and processes. `clock` gives the seconds since 1970.
    """

    def __init__(
        self,
        database: ControlDatabase,
        file: Path,
        folders: Sequence[Path],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._file = file
        self._folders = folders
        self._clock = clock

    def measured(self) -> MeasuredUsage:
        """Return the last measuring; an empty one where there was none yet."""
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=MeasuredUsage)
        except (FileNotFoundError, msgspec.DecodeError):
            return MeasuredUsage()

    def measure(self) -> None:
        """Measure, unless another process does so, or has just done it. Raises OSError and DatabaseError."""
        with lock_file(self._file.with_name(f"{self._file.name}.lock")) as ours:
            age = self._clock() - self.measured().at
            if ours and not 0 <= age < EVERY / 2:  # the clock may have been ahead
                self._write()

    def usage(self) -> Mapping[str, AccountUsage]:
        """Return the usage of all accounts that have any, by id."""
        measured, read = self.measured(), self._database.read
        rows: dict[str, dict[str, int]] = {}

        def add(account: object, **found: object) -> None:
            row = rows.setdefault(str(account), {})
            for name, number in found.items():
                row[name] = row.get(name, 0) + int(str(number or 0))

        for account, site, is_kept in read(_SITES):
            add(account, sites=is_kept, site_bytes=measured.sites.get(str(site), 0))
        for account, number, size in read(_DATABASES):
            add(account, databases=number, database_bytes=size)
        last = dict(measured.sign_ins)
        last |= {str(account): int(at or 0) for account, at in read(_SESSIONS)}
        for account, at in last.items():
            add(account, signed_in_at=max(at, measured.sign_ins.get(account, 0)))
        return {account: AccountUsage(**row) for account, row in rows.items()}

    def _write(self) -> None:
        sites = [str(site) for _, site, _ in self._database.read(_SITES)]
        sizes = {site: sum(_size(folder / site) for folder in self._folders) for site in sites}
        sign_ins = {str(account): int(at or 0) for account, at in self._database.read(_SIGN_INS)}
        found = MeasuredUsage(int(self._clock()), sizes, sign_ins)
        write_whole(self._file, lambda file: file.write(msgspec.json.encode(found)))


def _size(folder: Path) -> int:
    """Return the bytes on the disk of all files in a folder, links not followed; one with two names once."""
    files: dict[tuple[int, int], int] = {}
    for about in _files(str(folder), frozenset(f"{folder}{each}" for each in _LEFT_OUT)):
        files[about.st_dev, about.st_ino] = about.st_blocks * 512
    return sum(files.values())


def _files(folder: str, left_out: Container[str]) -> Iterator[os.stat_result]:
    folders = [folder]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in (each for each in entries if each.path not in left_out):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    with suppress(FileNotFoundError):
                        yield entry.stat(follow_symlinks=False)
