"""The folders of a site in a backup: its files as they are at one moment with its history, and its releases.

Nobody writes to the site meanwhile, and nobody folds its history. Releases are never changed; none is deleted
meanwhile, and what leads to others comes first: all that a copied pointer or list names is copied behind it.
"""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

from builder.store import reserve
from builder.store.lock import NAME as LOCK
from builder.store.lock import STATE
from server.backup import plain_tar
from server.backup.archive import Archive, BackupPart
from server.control.sqlite.database import ControlDatabase
from server.history import fold, pending_file
from server.publishing.publish_lock import switch_lock
from server.releases.release_store import POINTER

_STATE = "/".join(STATE)
_HISTORY = f"{_STATE}/{pending_file.FOLDER}"
_KEYS = f"{_STATE}/control.sqlite3"
LEFT_OUT = frozenset({
    f"{STATE[0]}/cache",
    f"{_STATE}/{LOCK}",
    f"{_STATE}/{reserve.NAME}",
    f"{_HISTORY}/{fold.LOCK}",
    f"{_KEYS}-wal",
    f"{_KEYS}-shm",
})  # fmt: skip
"""What is made anew: a cache, locks, room for a full disk, and journals that no copy of a database needs."""
FOLDER, FILE = 0o700, 0o600
_RELEASE_FOLDERS = ("releases", "objects")


def pack(site: Path, target: Path) -> None:
    """Write a tar of the site's folder. Raises StorageError when others hold it too long, and OSError."""
    with fold.still(site), tarfile.open(target, "x", format=plain_tar.FORMAT) as tar:
        for name, about in _found(site, ""):
            _add(tar, site, name, about)


def pack_releases(releases: Path, work: Path, target: Path) -> None:
    """Write a tar of a site's releases, whose locks are in `work`. Raises OSError."""
    with switch_lock(work), tarfile.open(target, "x", format=plain_tar.FORMAT) as tar:
        for first in (POINTER, *_RELEASE_FOLDERS):
            about = (releases / first).stat(follow_symlinks=False)
            inner = _found(releases, first) if stat.S_ISDIR(about.st_mode) else ()
            for name, each in ((first, about), *inner):
                if not name.rpartition("/")[2].startswith("."):  # a lock, or what is being written
                    _add(tar, releases, name, each)


def unpack(archive: Archive, part: BackupPart, site: Path) -> None:
    """Write the files of a site into a new folder of ours. Raises BadBackup, and OSError."""
    site.mkdir(FOLDER)
    for member in archive.site(part):
        target = site.joinpath(*member.parts)
        if member.is_folder:
            target.mkdir(FOLDER, parents=True, exist_ok=True)
            continue
        target.parent.mkdir(FOLDER, parents=True, exist_ok=True)
        archive.extract(member, target)
        os.utime(target, (member.modified, member.modified))


def _found(site: Path, below: str) -> Iterator[tuple[str, os.stat_result]]:
    """The folders and files of a site by name, in one order; links lead out of it and are left out."""
    with os.scandir(site / below) as entries:
        inner = sorted(entries, key=lambda entry: entry.name)
    for entry in inner:
        name = f"{below}/{entry.name}" if below else entry.name
        about = entry.stat(follow_symlinks=False)
        if name in LEFT_OUT:
            continue
        if stat.S_ISDIR(about.st_mode):
            yield name, about
            yield from _found(site, name)
        elif stat.S_ISREG(about.st_mode):
            yield name, about


def _add(tar: tarfile.TarFile, site: Path, name: str, about: os.stat_result) -> None:
    info = tarfile.TarInfo(name)
    info.mtime = int(about.st_mtime)
    if stat.S_ISDIR(about.st_mode):
        info.type, info.mode = tarfile.DIRTYPE, FOLDER
        tar.addfile(info)
        return
    info.mode = FILE
    path = _copied(site / name, Path(f"{tar.name!s}.keys")) if name == _KEYS else site / name
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as opened:
        info.size = os.fstat(opened.fileno()).st_size
        tar.addfile(info, opened)


def _copied(keys: Path, target: Path) -> Path:
    """A copy of a site's own database, which others may write to; it goes with the tar's folder."""
    target.unlink(missing_ok=True)
    with ControlDatabase(keys) as database:
        database.copy_to(target)
    return target
