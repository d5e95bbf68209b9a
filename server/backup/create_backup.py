"""Write a backup of the whole service while it runs: sites, databases, and last what knows of them.

What was created while the others were written is found by the copy of the control database that is made then,
and follows; so whatever the last copy names is in the backup.

Apart from the command, which is of a higher layer.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO

from msgspec import Struct

from server.backup import archive, site_files
from server.backup.archive import ArchiveWriter, BackupManifest
from server.backup.database_dumps import Dumps, ServiceData
from server.control.sealing import open_keyring
from server.control.sqlite import database_copy
from server.control.sqlite.data_folder import existing_data
from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.postgres.errors import ToolFailed
from server.process.disk import told_where, write_whole
from server.publishing.parts import WORK
from server.readers.reader_counts import ReaderCounts
from server.releases.release_store import POINTER
from server.releases.site_stores import RELEASES


class FailedDump(Struct, frozen=True):
    """A database that could not be dumped, and why."""

    id: str
    why: str


def create_backup(
    data: Path, file: Path, dsn: str = "", bin_dir: Path | None = None
) -> tuple[BackupManifest, list[FailedDump]]:
    """Write the backup to a file, whole or not at all; gives what is in it, and what could not be dumped.

    Master keys are not in it. Raises TwinpressError; a file that was there is as it was then.
    """
    data = data.absolute()
    target = file.absolute()

    def write(opened: IO[bytes]) -> tuple[BackupManifest, list[FailedDump]]:
        # Beside the file, there is as much room as for itself.
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as work:
            run = _Backup(service, Path(work), ArchiveWriter(opened))
            return run.write(), run.failed

    with existing_data(data) as control, told_where("the backup cannot be written", file):
        service = ServiceData(data, control, open_keyring(control, data), dsn, bin_dir)
        return write_whole(target, write)


class _Backup:
    """One backup that is being written."""

    def __init__(self, service: ServiceData, work: Path, written: ArchiveWriter) -> None:
        self._control, self._work, self._archive = service.control, work, written
        self._folder = service.folder
        self._sites = service.folder / archive.SITES
        self._counts = ReaderCounts(service.folder)
        self._dumps = Dumps(service)
        self._done: set[str] = set()
        self.failed: list[FailedDump] = []

    def write(self) -> BackupManifest:
        """Write all parts, and the manifest."""
        while not self._finish():
            pass
        return self._archive.close([each.id for each in self.failed])

    def _finish(self) -> bool:
        """Write the copy of the control database, unless it names what is not in the backup yet."""
        copy = self._work / archive.CONTROL
        self._control.copy_to(copy)
        with ControlDatabase(copy) as copied:
            databases = [row.id for row in hosted.every(copied) if row.is_in_use]
        sites = [each.name for each in sorted(self._sites.iterdir())] if self._sites.is_dir() else []
        missing = ({*databases, *sites}) - self._done
        if missing:
            for id in sites:
                self._pack(id)
            for id in databases:
                self._dump(id)
            copy.unlink()
            return False
        database_copy.strip(copy)
        self._archive.add(archive.CONTROL, copy)
        counts = self._work / archive.READERS
        if self._counts.copy_to(counts):
            self._add(archive.READERS, counts)
        return True

    def _pack(self, id: str) -> None:
        site, packed = self._sites / id, self._work / "site.tar"
        if id in self._done:
            return
        self._done.add(id)
        if site.is_symlink() or not site.is_dir():
            return
        try:
            site_files.pack(site, packed)
        except FileNotFoundError:
            if site.exists():
                raise
            packed.unlink(missing_ok=True)
            return  # it was deleted meanwhile
        self._add(f"{archive.SITES}/{id}.tar", packed)
        self._pack_releases(id)

    def _pack_releases(self, id: str) -> None:
        """Add the releases of a site, if it has been published."""
        releases, packed = self._folder / RELEASES / id, self._work / "releases.tar"
        if not (releases / POINTER).exists():
            return
        try:
            site_files.pack_releases(releases, self._folder / WORK / id, packed)
        except FileNotFoundError:
            if (releases / POINTER).exists():
                raise
            packed.unlink(missing_ok=True)
            return  # it was deleted meanwhile
        self._add(f"{archive.RELEASES}/{id}.tar", packed)

    def _dump(self, id: str) -> None:
        dumped = self._work / "database.dump"
        if id in self._done:
            return
        self._done.add(id)
        try:
            if self._dumps.dump(id, dumped):
                self._add(f"{archive.DATABASES}/{id}.dump", dumped)
        except ToolFailed as error:
            self.failed.append(FailedDump(id, error.message))

    def _add(self, name: str, file: Path) -> None:
        self._archive.add(name, file)
        file.unlink()
