"""A folder of releases of a site, for hosts that serve files: `current` leads to the one that readers have.

    current -> releases/7
    releases/6/  releases/6.json
    releases/7/  releases/7.json

A release is made in these steps, and a process that is killed leaves the old or the new one to readers:

1. What a killed process has left is removed.
2. The files are written into `releases/.new-...`.
3. `releases/.7.json` says that release 7 is about to be.
4. The folder gets its name, `releases/7`, and all is put on the disk.
5. `current` is replaced by renaming: from now on readers have the new release.
6. `.7.json` becomes `7.json`.
7. Old releases are renamed to `releases/.old-...`, and deleted.

A release whose record was not given its name (step 6) was never live, unless `current` leads to it: step 1
of the next process deletes it, or gives the record its name.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from builder.errors import OutputError, StorageError
from builder.output.manifest import MANIFEST
from builder.output.open_folders import open_folder
from builder.store import failures
from builder.version import VERSION
from server.process.disk import sync_folder
from server.process.file_lock import try_lock
from server.releases.folder_store import FolderStore
from server.static_targets.refuse_releases import CURRENT, RELEASES
from server.static_targets.static_output import StaticOutput

_NUMBER = re.compile(r"[1-9][0-9]{0,8}\Z")
_RECORD = re.compile(r"(\.?)([1-9][0-9]{0,8})\.json\Z")
_LONGEST = 64 * 1024
"""Bytes of a record."""


class FolderRelease(Struct, frozen=True):
    """The record of a release: its time (seconds since 1970), the commit of the site, "" for none.

    `carried` are styles and scripts of the release before, for pages that readers have open.
    """

    number: int
    created_at: int = 0
    pages: int = 0
    files: int = 0
    version: str = ""
    source: str = ""
    carried: tuple[str, ...] = ()


class ReleaseFolder:
    """The releases in `folder`. What changes it is called within `locked`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._releases = folder / RELEASES

    def __str__(self) -> str:
        """The folder, as messages name it."""
        return str(self.folder)

    @property
    def current(self) -> int:
        """Return the number of the release that readers have, 0 for none. Raises OutputError."""
        link = self.folder / CURRENT
        try:
            leads = str(link.readlink())
        except FileNotFoundError:
            return 0
        except OSError:
            leads = ""
        above, _, name = leads.rpartition("/")
        if above != RELEASES or not _NUMBER.match(name):
            message = "is in the way: it is no link to a release of `twinpress publish`"
            raise OutputError(message, path=str(link), hint="publish to another folder, or move it away")
        return int(name) if self.path(int(name)).is_dir() else 0

    @property
    def current_path(self) -> Path | None:
        """The folder of the release that readers have."""
        number = self.current
        return self.path(number) if number else None

    def refuse_build(self) -> None:
        """Raise OutputError when `twinpress build` has written a site here, beside which none may be."""
        if (self.folder / MANIFEST).exists():
            hint = "publish to another folder, or delete this one, which a build can make again"
            raise OutputError("`twinpress build` has written a site here", path=str(self.folder), hint=hint)

    def path(self, number: int) -> Path:
        """Return the folder of a release."""
        return self._releases / str(number)

    def numbers(self) -> list[int]:
        """List the releases, the newest first. Raises StorageError."""
        with failures.reading(str(self._releases)), suppress(FileNotFoundError):
            with os.scandir(self._releases) as entries:
                found = [int(each.name) for each in entries if _NUMBER.match(each.name) and _is_folder(each)]
            return sorted(found, reverse=True)
        return []

    def releases(self) -> list[FolderRelease]:
        """List the records of all releases, the newest first. Raises StorageError."""
        return [self.get(number) for number in self.numbers()]

    def get(self, number: int) -> FolderRelease:
        """Return the record of a release; all but the time is unknown where there is none."""
        for name in (f"{number}.json", f".{number}.json"):
            with suppress(OSError, msgspec.DecodeError), (self._releases / name).open("rb") as file:
                return msgspec.json.decode(file.read(_LONGEST), type=FolderRelease)
        with failures.reading(str(self.path(number))):
            return FolderRelease(number, int(self.path(number).stat().st_mtime))

    @contextmanager
    def locked(self, site: Path) -> Iterator[None]:
        """Let nobody else publish here for the time of the block; what was left half done is removed first.

        The folder is made when it is not there. Raises OutputError, also when releases of somebody else are
        there, and StorageError.
        """
        with failures.writing(str(self.folder)):
            descriptor = open_folder(self.folder, site)
        try:
            with failures.writing(str(self._releases)):
                self._lock(descriptor)
                self._releases.mkdir(exist_ok=True)
                self._refuse_others()
                self._sweep()
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def staged(self) -> Iterator[StaticOutput]:
        """Give a sink for the files of the next release; what was not published is removed at the end."""
        folder = self._releases / f".new-{secrets.token_hex(8)}"
        with failures.writing(str(folder)):
            folder.mkdir()
        try:
            current = self.current
            carried = self.get(current).carried if current else ()
            yield StaticOutput(folder, self.path(current) if current else None, carried)
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # what stays of it, the next process removes

    def publish(self, output: StaticOutput, pages: int, source: str) -> FolderRelease:
        """Give readers what was staged. Raises StorageError."""
        number = max([*self.numbers(), *self._recorded(), self.current]) + 1
        now, carried = int(time.time()), tuple(output.carry_assets())
        release = FolderRelease(number, now, pages, output.files, VERSION, source, carried)
        with failures.writing(str(self.path(number))):
            self._replace(self._releases / f".{number}.json", msgspec.json.encode(release))
            output.made.rename(self.path(number))
            FolderStore(self._releases).sync()
            self._switch(number)
            self._settle(number)
        return release

    def roll_back(self, number: int | None) -> int:
        """Give readers a former release, or the one before theirs. Raises OutputError, StorageError."""
        known, current = self.numbers(), self.current
        if number is None:
            number = next((each for each in known if each < current), 0)
        if number not in known:
            there = ", ".join(map(str, known)) or "none"
            what = f"there is no release {number}" if number else "there is no release before this one"
            raise OutputError(what, path=str(self.folder), hint=f"there are: {there}")
        with failures.writing(str(self.folder)):
            self._switch(number)
        return number

    def delete_old(self, keep: int) -> list[int]:
        """Delete all but the newest releases and the one that readers have; return those deleted."""
        current, deleted = self.current, []
        for number in self.numbers()[keep:]:
            if number != current:
                with failures.writing(str(self.path(number))):
                    self._delete(number)
                deleted.append(number)
        return deleted

    def _lock(self, descriptor: int) -> None:
        if not try_lock(descriptor):
            hint = "wait until it has ended, then publish again"
            raise OutputError("somebody else is publishing here", path=str(self.folder), hint=hint)

    def _refuse_others(self) -> None:
        """Raise OutputError when a folder has a number and no record: it is not ours to delete."""
        recorded = {*self._recorded(), self.current}
        other = next((each for each in self.numbers() if each not in recorded), None)
        if other is not None:
            message = "is in the way: it is no release of `twinpress publish`"
            hint = "publish to another folder, or move it away"
            raise OutputError(message, path=str(self.path(other)), hint=hint)

    def _switch(self, number: int) -> None:
        beside = self.folder / f".{CURRENT}-{secrets.token_hex(8)}"
        beside.symlink_to(f"{RELEASES}/{number}")
        beside.rename(self.folder / CURRENT)
        sync_folder(self.folder)

    def _settle(self, number: int) -> None:
        (self._releases / f".{number}.json").rename(self._releases / f"{number}.json")

    def _delete(self, number: int) -> None:
        old = self._releases / f".old-{secrets.token_hex(8)}"
        self.path(number).rename(old)
        (self._releases / f"{number}.json").unlink(missing_ok=True)
        (self._releases / f".{number}.json").unlink(missing_ok=True)
        shutil.rmtree(old)

    def _recorded(self) -> list[int]:
        return [int(found[2]) for found in map(_RECORD.match, _names(self._releases)) if found]

    def _replace(self, place: Path, data: bytes) -> None:
        beside = self._releases / f".new-{secrets.token_hex(8)}"
        beside.write_bytes(data)
        beside.rename(place)

    def _sweep(self) -> None:
        """Remove what a killed process has left, or end what it had begun."""
        current = self.current
        for name in _names(self.folder):
            if name.startswith(f".{CURRENT}-"):
                (self.folder / name).unlink()
        for name in _names(self._releases):
            record = _RECORD.match(name)
            if name.startswith((".new-", ".old-")):
                _remove(self._releases / name)
            elif record and not self.path(int(record[2])).is_dir():
                (self._releases / name).unlink()
            elif record and record[1] and int(record[2]) == current:
                self._settle(current)
            elif record and record[1]:
                self._delete(int(record[2]))


def _names(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def released(folder: Path) -> Path:
    """Return the folder that readers have, of a folder of releases; any other is what it is.

    Raises StorageError when nothing was published there yet.
    """
    if not (folder / RELEASES).is_dir() or not os.path.lexists(folder / CURRENT):
        return folder
    current = ReleaseFolder(folder).current_path
    if current is None:
        hint = "see `twinpress publish --list`, and roll back to one that is there"
        raise StorageError("the release that readers have is gone", path=str(folder), hint=hint)
    return current
