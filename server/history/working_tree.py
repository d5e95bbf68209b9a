"""All files of a site with the ids of their contents; what was seen before is not read again.

A layer below `fold`: it knows neither locks nor pending changes.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dulwich.objects import Blob

from builder.store import state_of, walk
from builder.store.limits import FILE_LIMIT
from builder.store.names import COMPONENTS, PLACES, SETTINGS, SIDEBAR, is_hidden, is_site_file, is_text
from builder.store.scan import MAX_FOLDERS
from builder.store.temp_files import KEEP_LIMIT
from server.history.contents import id_of
from server.history.file_versions import SMALL
from server.history.objects import Repository

NAME = "seen.json"
_SURE = 2_000_000_000
"""Nanoseconds that a file must be old for its times to tell whether it has been changed since."""
Marks = tuple[int, int, int, int, str]
"""Inode, size, the two times in nanoseconds, and the id of the content; zeros where the times do not tell."""


def look(root: int, repository: Repository, folder: Path) -> dict[str, str]:
    """All files by name, with the ids of their contents; the repository has those that people write then.

    Of other files it has as many as there is room for, and of large ones none: whoever replaces one gives
    its bytes. What has more than FILE_LIMIT bytes is left out.

    `root` is the descriptor of the site's folder; what was seen is remembered in `folder`, the repository's.
    Raises OSError.
    """
    before = _load(folder / NAME)
    seen: dict[str, Marks] = {}
    sure = time.time_ns() - _SURE
    for file, place, name, about in _files(root):
        known = before.get(file)
        if known is not None and known[:4] == state_of(about):
            seen[file] = known
            continue
        with suppress(FileNotFoundError, PermissionError, walk.Blocked, walk.TooLarge):
            data, read = walk.read_file(place, name, KEEP_LIMIT if is_text(file) else FILE_LIMIT)
            is_sure = max(read.st_mtime_ns, read.st_ctime_ns) < sure
            blob = _kept(repository, file, data)
            seen[file] = (*(state_of(read) if is_sure else (0, 0, 0, 0)), blob)
    repository.flush()
    if seen != before:
        _save(folder / NAME, seen)
    return {file: marks[4] for file, marks in seen.items()}


def _kept(repository: Repository, file: str, data: bytes) -> str:
    if is_text(file):
        return repository.add(Blob.from_string(data)).decode()
    return repository.versions.offer(data) if len(data) <= SMALL else id_of(data)


def _save(file: Path, seen: dict[str, Marks]) -> None:
    draft = file.with_suffix(".new")
    draft.touch(0o600)
    draft.write_text(json.dumps(seen), encoding="ascii")
    draft.rename(file)


def _load(file: Path) -> dict[str, Marks]:
    try:
        found = json.loads(file.read_bytes())
        return {str(name): (*map(int, marks[:4]), str(marks[4])) for name, marks in found.items()}  # type: ignore[misc]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}  # it only saves time


def _files(root: int) -> Iterator[tuple[str, int, str, os.stat_result]]:
    """Each file: its name from the site's folder, its folder, its own name, its state."""
    for name in (SETTINGS, SIDEBAR):
        found = walk.look(root, name)
        if found is not None and stat.S_ISREG(found.st_mode):
            yield name, root, name, found
    for name in (*PLACES, COMPONENTS):
        with suppress(FileNotFoundError, walk.Blocked), walk.folder(root, (name,)) as folder:
            yield from _within(folder, name, 1)


def _within(folder: int, place: str, depth: int) -> Iterator[tuple[str, int, str, os.stat_result]]:
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        file = f"{place}/{entry.name}"
        if is_hidden(entry.name) or entry.is_symlink():
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth < MAX_FOLDERS:
                with suppress(FileNotFoundError, PermissionError, walk.Blocked):
                    yield from _inner(folder, entry.name, file, depth)
        elif is_site_file(file):
            with suppress(FileNotFoundError):
                yield file, folder, entry.name, entry.stat(follow_symlinks=False)


def _inner(parent: int, name: str, place: str, depth: int) -> Iterator[tuple[str, int, str, os.stat_result]]:
    folder = walk.open_folder(parent, name)
    try:
        yield from _within(folder, place, depth + 1)
    finally:
        os.close(folder)


EARLIER = "settings"
"""A folder with versions of `site.yml` from before the history had them."""
_EARLIER = re.compile(r"([0-9]{10,20})-site\.yml")


def earlier_settings(state: int) -> list[tuple[int, bytes]]:
    """The versions in that folder, with the seconds at which each was replaced. Raises OSError."""
    found: list[tuple[int, bytes]] = []
    with suppress(FileNotFoundError, walk.Blocked), walk.folder(state, (EARLIER,)) as folder:
        for name in sorted(os.listdir(folder), key=lambda name: (len(name), name)):  # noqa: PTH208 - open folder
            if match := _EARLIER.fullmatch(name):
                with suppress(walk.TooLarge):
                    found.append((int(match[1]) // 10**9, walk.read_file(folder, name, FILE_LIMIT)[0]))
    return found


def forget_earlier_settings(state: int) -> None:
    """Remove that folder, once what is in it is in the history. Raises OSError."""
    with suppress(FileNotFoundError, walk.Blocked):
        with walk.folder(state, (EARLIER,)) as folder:
            for name in filter(_EARLIER.fullmatch, os.listdir(folder)):  # noqa: PTH208 - of the open folder
                os.unlink(name, dir_fd=folder)
        with suppress(OSError):  # something else is in it
            os.rmdir(EARLIER, dir_fd=state)
