"""The history of a site for an export: what it tells, and its own files.

A layer below `account_export`, which knows no locks.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

from builder.store import reserve
from builder.store.lock import NAME as LOCK
from builder.store.lock import STATE
from server.history import fold, pending_file

_LEFT_OUT = frozenset({fold.LOCK, LOCK, reserve.NAME})
"""What is made anew: locks, and room for a full disk."""


def state_of(site: Path) -> Path:
    """The folder in which a site's history is."""
    return site.joinpath(*STATE)


def has_history(site: Path) -> bool:
    """Tell whether anything was kept yet."""
    return (state_of(site) / pending_file.FOLDER).is_dir()


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
