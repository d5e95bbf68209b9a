"""Check the folders that Twinpress keeps beside a site: files and folders may stand there, and nothing else.

A site may come from anybody, its hidden folders too. A link among what is kept there would have Twinpress
write, and remove, somewhere else.
"""

from __future__ import annotations

import os
from pathlib import Path

from builder.store.lock import STATE
from builder.store.walk import Blocked, kind_of


def check_state(site: Path) -> None:
    """Look at the state folder of a site, the way to it, and all that is in it.

    Raises Blocked at what is neither a file nor a folder, named from the site, and OSError.
    """
    way = site
    for part in STATE:
        way /= part
        if way.is_symlink():
            raise _blocked(site, way)
    waiting = [way]
    while waiting:
        waiting += _folders(site, waiting.pop())


def _folders(site: Path, folder: Path) -> list[Path]:
    """The folders in a folder, which may have gone meanwhile. Raises as `check_state` does."""
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except FileNotFoundError:
        return []
    for entry in found:
        if not (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)):
            raise _blocked(site, Path(entry.path))
    return [Path(entry.path) for entry in found if entry.is_dir(follow_symlinks=False)]


def _blocked(site: Path, path: Path) -> Blocked:
    return Blocked(path.relative_to(site).as_posix(), kind_of(path.lstat().st_mode))
