"""Refuse a page beyond those that a site may have."""

from __future__ import annotations

import os
from contextlib import suppress

from builder import paths
from builder.store import walk
from builder.store.names import CONTENT
from builder.store.scan import MAX_FOLDERS, scan

_SUFFIXES = tuple(paths.PAGE_SUFFIXES)


def is_full(root: int, most: int) -> bool:
    """Whether the site has so many pages; asked with the lock held, so it is quick unless that is close."""
    return _names(root) >= most and len(scan(root).pages) >= most


def _names(root: int) -> int:
    """How many pages there are at most: files that are called like pages, twins among them."""
    count = 0
    for name in CONTENT:
        with suppress(FileNotFoundError, walk.Blocked), walk.folder(root, (name,)) as folder:
            count += _below(folder, 0)
    return count


def _below(folder: int, depth: int) -> int:
    inner: list[str] = []
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIXES):
                count += 1
            elif depth < MAX_FOLDERS and entry.is_dir(follow_symlinks=False):
                inner.append(entry.name)
    for name in inner:
        with suppress(OSError, walk.Blocked):  # what cannot be entered has no pages
            descriptor = walk.open_folder(folder, name)
            try:
                count += _below(descriptor, depth + 1)
            finally:
                os.close(descriptor)
    return count
