"""Choose what is watched: the folders of a site's sources, and the files in them that a build may read."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress

FOLDERS = ("docs", "pages", "static", "theme")
SOURCES = frozenset({"site.yml", *FOLDERS})
"""What a site is read from; changes elsewhere in its folder (`dist`, `.git`, `.twinpress`) mean nothing."""

# What editors and file managers leave beside the file being edited, for a moment or for good.
_TEMPORARY = re.compile(
    r"""
      .*~                          # Emacs and many more: backups
    | \.\#.* | \#.*\#             # Emacs: locks and auto-saves
    | \..*\.sw[a-z] | 4913         # Vim
    | \.goutputstream-.* | .*\.___jb_(tmp|old|bak)___ | .*\.kate-swp | \..*\.(tmp|part)
    | \.DS_Store | Thumbs\.db
    """,
    re.VERBOSE,
)


def folders_of(root: str) -> Iterator[tuple[str, int]]:
    """The folders to be watched, each with its inode."""
    yield root, 0
    waiting = [f"{root.rstrip('/')}/{name}" for name in FOLDERS]
    while waiting:
        folder = waiting.pop()
        number = inode(folder)
        if number is None:
            continue
        yield folder, number
        with suppress(OSError), os.scandir(folder) as listed:
            waiting += [
                each.path for each in listed if each.is_dir(follow_symlinks=False) and _known(each.name)
            ]


def entries(folders: Iterable[str]) -> Iterator[tuple[str, int, int, int]]:
    """What lies in these folders, with size and times in nanoseconds; nothing in them is opened."""
    for folder in folders:
        with suppress(OSError), os.scandir(folder) as listed:
            for entry in listed:
                with suppress(OSError):  # gone since it was listed
                    about = entry.stat(follow_symlinks=False)
                    yield entry.path, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _known(name: str) -> bool:
    """Whether a folder of this name can be a part of a site, and be watched."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return not _TEMPORARY.fullmatch(name)


def inode(path: str) -> int | None:
    """What makes a folder the same folder; None when there is none."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    return about.st_ino if stat.S_ISDIR(about.st_mode) else None


def is_source(parts: tuple[str, ...]) -> bool:
    """Whether the path (in parts, relative to the site) is one that a build may read."""
    return bool(parts) and parts[0] in SOURCES and not any(_TEMPORARY.fullmatch(part) for part in parts)
