"""The sizes of a site's images, remembered for those whose files are as they were.

A preview builds again at every change: without a memory it would read the beginning of every image each time.
A layer above `header`, which reads one image and knows no store.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from builder.errors import StorageError
from builder.images import header
from builder.images.header import Size
from builder.store import FRESH, ContentStore, FileState, SiteFile, state_of

_Known = dict[str, tuple[FileState, Size | None]]


def image_sizes(root: Path, store: ContentStore, files: Iterable[SiteFile]) -> dict[str, Size]:
    """Width and height of the images among the files of the site in `root`, by output path."""
    images = [file for file in files if file.output.rpartition(".")[2].lower() in header.SUFFIXES]
    before, found = _memory(root.absolute()), dict[str, Size]()
    known = {file.file: _look(root, store, file, before) for file in images}
    before.clear()
    before.update((name, seen) for name, seen in known.items() if time.time_ns() - seen[0].touched > FRESH)
    for file in images:
        if size := known[file.file][1]:
            found[file.output] = size
    return found


@lru_cache(maxsize=8)
def _memory(_root: Path) -> _Known:
    """Return the sizes known of a site's images since the last build of it, by the name of the file."""
    return {}


def _look(root: Path, store: ContentStore, file: SiteFile, before: _Known) -> tuple[FileState, Size | None]:
    """The state and the size of a file; the size is None when it cannot be read."""
    try:
        # A Path would take several times as long.
        state = state_of(os.lstat(f"{root}/{file.file}"))
    except OSError:
        return FileState(0, 0, 0, time.time_ns()), None
    known = before.get(file.file)
    return known if known is not None and known[0] == state else (state, _size(store, file))


def _size(store: ContentStore, file: SiteFile) -> Size | None:
    with suppress(FileNotFoundError, StorageError), store.open_file(file.file) as source:
        return header.of_file(source, file.output)
    return None
