"""The history of a site for an export: what it tells, its own files, and the versions of `site.yml`.

A layer below `account_export`, which knows no locks.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from builder.store import reserve
from builder.store.lock import NAME as LOCK
from builder.store.lock import STATE
from server.authoring.site_settings import FOLDER as SETTINGS_VERSIONS
from server.history import fold, pending_file

_LEFT_OUT = frozenset({fold.LOCK, LOCK, reserve.NAME})
"""What is made anew: locks, and room for a full disk."""


def state_of(site: Path) -> Path:
    """The folder in which a site's history is."""
    return site.joinpath(*STATE)


def has_history(site: Path) -> bool:
    """Tell whether anything was kept yet."""
    return (state_of(site) / pending_file.FOLDER).is_dir()


def settings_versions(site: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the earlier versions of `site.yml`, with names that tell when each was replaced."""
    folder = state_of(site) / SETTINGS_VERSIONS
    for path in sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else ():
        nanoseconds, _, name = path.name.partition("-")
        if nanoseconds.isdigit() and not path.is_symlink():
            when = datetime.fromtimestamp(int(nanoseconds) // 10**9, UTC)
            yield f"{when:%Y%m%dT%H%M%SZ}-{int(nanoseconds) % 10**9:09}-{name}", path.read_bytes()


def pack_history(site: Path, target: Path) -> None:
    """Write a tar of the history's own files, as they are at one moment. Raises StorageError and OSError."""
    with fold.still(site), tarfile.open(target, "x") as tar:
        tar.add(state_of(site) / pending_file.FOLDER, arcname="history", filter=_plain)


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Take files and folders alone, without who owns them."""
    if not (info.isfile() or info.isdir()) or info.name.rpartition("/")[2] in _LEFT_OUT:
        return None
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info
