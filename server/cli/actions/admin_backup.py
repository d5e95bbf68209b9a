"""`twinpress admin backup` and `twinpress admin restore`."""

from __future__ import annotations

import os
from pathlib import Path

from builder.report.summary import counted
from server.backup.archive import DATABASES, RELEASES, SITES, BackupManifest
from server.backup.create_backup import create_backup
from server.backup.restore_backup import restore_backup
from server.cli.terminal import console
from server.control.sealing.opening import source_of, where
from server.service.host_settings import DSN

INCOMPLETE = 1
"""The exit code of a backup without some of the databases."""


def backup(*, data: Path, file: Path, db_bin_dir: Path | None) -> int:
    """Write a backup of the service."""
    manifest, failed = create_backup(data, file, os.environ.get(DSN, ""), db_bin_dir)
    console.note(f"{console.nearby(file)} has {_content(manifest)}: {file.stat().st_size:,} bytes.")
    console.note("Not in it: sessions of browsers, links that work once, and releases that are in a bucket.")
    console.note("People sign in again.")
    keys = where(source_of(data))
    console.note(f"Not in it either: the master keys. Keep a copy of {keys} elsewhere: without it, the")
    console.note("backup cannot be restored.")
    for each in failed:
        console.note(f"{each.id} is missing in the backup: {each.why}")
    return INCOMPLETE if failed else 0


def restore(*, data: Path, file: Path, master_keys: Path | None, db_bin_dir: Path | None) -> int:
    """Restore a backup into a new folder."""
    manifest = restore_backup(
        file,
        data,
        master_keys=master_keys,
        dsn=os.environ.get(DSN, ""),
        bin_dir=db_bin_dir,
        tell=lambda id: console.note(f"Importing {id} ..."),
    )
    console.note(f"{console.nearby(data)} has {_content(manifest)}, as they were at {manifest.created_at}.")
    for id in manifest.failed:
        console.note(f"{id} is missing: it could not be dumped when the backup was written.")
    console.note(f"Start the service with `twinpress host --data {console.nearby(data)}`.")
    return 0


def _content(manifest: BackupManifest) -> str:
    sites, released, databases = (len(manifest.of(kind)) for kind in (SITES, RELEASES, DATABASES))
    told = f"{counted(sites, 'site')} ({released:,} with releases)" if released else counted(sites, "site")
    return f"accounts and keys, {told}, {counted(databases, 'database')}"
