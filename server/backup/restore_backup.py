"""Restore a backup into a new data folder: all of it, or nothing.

The whole file is checked before anything is written. All is put together in a folder within the new one, and
moved to its place at the end, the control database last: without that, there is no service in a folder.

Apart from the command, which is of a higher layer.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from builder.errors import TwinpressError
from server.backup import archive, site_files
from server.backup.archive import Archive, BackupManifest
from server.backup.database_dumps import ServiceData, import_dumps
from server.backup.plain_tar import BadBackup
from server.control.errors import WrongMasterKey
from server.control.sealing import MASTER_KEYS, Keyring, open_keyring
from server.control.sealing.opening import NAME as MASTER_KEYS_FILE
from server.control.sqlite.data_folder import NAME as CONTROL
from server.control.sqlite.data_folder import open_data, prepare_data
from server.control.sqlite.database import ControlDatabase
from server.process.disk import sync_folder
from server.readers.reader_counts import FILE, FOLDER
from server.releases.site_stores import RELEASES


def restore_backup(
    file: Path,
    data: Path,
    *,
    master_keys: Path | None = None,
    dsn: str = "",
    bin_dir: Path | None = None,
    tell: Callable[[str], object] = lambda _: None,
) -> BackupManifest:
    """Restore a backup into a folder that is new or empty, and give what is in it.

    `master_keys` is a copy of the file of master keys, where they are in no variable; `tell` is called with
    the id of each database before it is imported. Raises TwinpressError, and the folder is as it was.
    """
    data = data.absolute()
    _check_empty(data)
    with _opened(file) as backup, _new(data) as staged:
        for kind, name in ((archive.SITES, archive.SITES), (archive.RELEASES, RELEASES)):
            for part in backup.manifest.of(kind):
                (staged / name).mkdir(0o700, exist_ok=True)
                site_files.unpack(backup, part, staged / name / part.id)
        if backup.manifest.has(archive.READERS):
            (staged / FOLDER).mkdir(0o700)
            backup.extract(backup.part(archive.READERS), staged / FOLDER / FILE)
        backup.extract(backup.part(archive.CONTROL), staged / CONTROL)
        with open_data(staged) as control:
            keyring = _keyring(control, staged, master_keys)
            import_dumps(backup, ServiceData(staged, control, keyring, dsn, bin_dir), tell)
        os.sync()
        _move(staged, data)
        return backup.manifest


def _check_empty(data: Path) -> None:
    if data.is_dir() and not any(data.iterdir()):
        return
    if data.exists() or data.is_symlink():
        hint = "name a new folder, or an empty one"
        raise TwinpressError("there is something in this folder already", path=str(data), hint=hint)


@contextmanager
def _opened(file: Path) -> Iterator[Archive]:
    try:
        with file.open("rb") as opened:
            yield Archive(opened)
    except BadBackup as error:
        raise BadBackup(error.message, path=str(file), hint=error.hint) from error


@contextmanager
def _new(data: Path) -> Iterator[Path]:
    """A folder within the new data folder; in a failure, neither is left."""
    is_new = not data.exists()
    try:
        prepare_data(data)
        staged = Path(tempfile.mkdtemp(dir=data, prefix=".restoring-"))
        try:
            prepare_data(staged)
            yield staged
        finally:
            shutil.rmtree(staged)
    except BaseException as error:
        if is_new and data.is_dir():
            shutil.rmtree(data)
        if isinstance(error, OSError):
            message = f"the backup cannot be restored: {error.strerror or error}"
            place = str(error.filename or data)
            raise TwinpressError(message, path=place, hint="make room, or name another folder") from error
        raise


def _keyring(control: ControlDatabase, staged: Path, master_keys: Path | None) -> Keyring:
    """Open what is sealed in the backup. Raises WrongMasterKey when that cannot be."""
    if master_keys is not None:
        copy = staged / MASTER_KEYS_FILE
        copy.touch(0o600, exist_ok=False)
        copy.write_bytes(master_keys.read_bytes())
    try:
        return open_keyring(control, staged)
    except WrongMasterKey as error:
        given = str(master_keys or MASTER_KEYS)
        message = "the backup has secrets that were sealed with a master key that is not here"
        hint = f"name a copy of the service's master.keys with --master-keys, or set {MASTER_KEYS}"
        raise WrongMasterKey(message, path=given, hint=hint) from error


def _move(staged: Path, data: Path) -> None:
    """Move everything to its place, the control database last."""
    # Closed databases have no journal beside them: what is moved is one file.
    for name in sorted((each.name for each in staged.iterdir()), key=lambda name: name == CONTROL):
        (staged / name).rename(data / name)
    sync_folder(data)
