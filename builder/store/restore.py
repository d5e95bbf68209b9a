"""Put files back, many at once, as an undo or a restore does; and replace one that is no page.

All of it is done with the lock held, on what is on disk at that moment.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial

from msgspec import Struct

from builder import paths
from builder.errors import InvalidPath, PageLimitReached, PathConflict, RevisionMismatch
from builder.store import folders, names, transaction, walk
from builder.store.folders import Way
from builder.store.keeper import Turn
from builder.store.names import is_content, other_fault
from builder.store.temp_files import KEEP_LIMIT, split
from builder.store.transaction import Change
from builder.store.write_plan import is_full


class Replacement(Struct, frozen=True):
    """Files as they are `expected` to be and as they are `wanted`; None where there is no file.

    Names are on disk, from the site's folder, the same in both. The folders in `make` are made if they are
    not there, those in `drop` removed, in this order, if they are empty.
    """

    expected: Mapping[str, bytes | None]
    wanted: Mapping[str, bytes | None]
    make: Sequence[str] = ()
    drop: Sequence[str] = ()


def put_back(turn: Turn, replacement: Replacement, most: int | None = None) -> None:
    """Make the replacement, whole or not at all; folders apart, which are made before and removed after.

    What an editor saves until the last moment is not overwritten.
    """
    for file in replacement.wanted:
        if not is_content(file):
            check_other(file)
    for each in replacement.make:
        _check_folder(each)
    _check_as_expected(turn.root, replacement)
    if most is not None:
        _check_number(turn.root, replacement, most)
    removes = [file for file, data in replacement.wanted.items() if data is None]
    puts = {file: data for file, data in replacement.wanted.items() if data is not None}
    spellings = cache(partial(_spellings, turn.root))
    for file in puts:
        _check_file_free(spellings, file, replacement.wanted)
        _check_page_free(turn.root, file, replacement.wanted)
    ways: list[Way] = []
    try:
        for folder in _folders(puts, replacement.make):
            ways += [folders.make(turn.root, folder)]
        made = [folder for way in ways for folder in way.made]
        check = partial(_check_as_expected, turn.root, replacement)
        transaction.commit(turn, Change(puts, removes, made, replacement.drop), check)
    except BaseException:
        for way in reversed(ways):
            folders.remove_empty(turn.root, way.parts, way.existing)
        raise
    _drop(turn.root, replacement.drop)


def _check_folder(folder: str) -> None:
    if not is_content(f"{folder}/x.md") and other_fault(f"{folder}/x"):
        raise InvalidPath("this is no folder of the site's pages or files", path=folder)


def _check_as_expected(root: int, replacement: Replacement) -> None:
    for file, expected in replacement.expected.items():
        if current(root, file) != expected:
            raise RevisionMismatch("the file was changed just now", path=file, hint="try again")


def _check_number(root: int, replacement: Replacement, most: int) -> None:
    """Raise PageLimitReached where the site would have more pages than it has, and than it may have."""
    pages = [file for file in replacement.wanted if is_page(file)]
    made = sum(1 for file in pages if replacement.expected.get(file) is None)
    gone = sum(1 for file in pages if replacement.wanted[file] is None)
    if made > gone and is_full(root, most - (made - gone) + 1):
        raise PageLimitReached(f"the site would have more than {most:,} pages, which is the most")


def is_page(file: str) -> bool:
    """Return whether a file is a page by its name: no twin, and no part of pages."""
    stem = stem_of(file) if is_content(file) else None
    return stem is not None and not file.endswith(paths.TWIN_SUFFIX) and "/_" not in file


def _folders(puts: Iterable[str], make: Iterable[str]) -> Iterable[tuple[str, ...]]:
    return dict.fromkeys((*(split(file)[0] for file in puts), *(tuple(folder.split("/")) for folder in make)))


def current(root: int, file: str) -> bytes | None:
    """Return the bytes of a file, None where there is none. Raises PathConflict for one that is too large."""
    parts, name = split(file)
    try:
        with walk.folder(root, parts) as folder:
            return walk.read_file(folder, name, KEEP_LIMIT)[0]
    except (FileNotFoundError, walk.Blocked):
        return None
    except walk.TooLarge:
        message = "the file is too large for the history"
        raise PathConflict(message, path=file, hint="move it to another folder") from None


def _check_page_free(root: int, file: str, wanted: Container[str]) -> None:
    """No page may come to stand beside itself in another format, or in other case, unless that is wanted."""
    parts, name = split(file)
    stem = stem_of(name) if is_content(file) else None
    if stem is None or name.endswith(paths.TWIN_SUFFIX):
        return
    try:
        with walk.folder(root, parts) as folder:
            found = names.find(folder, stem)
            others = [other for other in found.pages.values() if other != name]
            case = None if found.pages else names.other_spelling(folder, stem)
    except FileNotFoundError:
        return
    for other in (*others, *([case] if case else ())):
        if "/".join((*parts, other)) not in wanted:
            raise PathConflict(f"the file `{other}` is in its way", path=file, hint="move or delete it first")


_Spellings = Callable[[tuple[str, ...]], Mapping[str, Mapping[str, int]]]
"""Gives the names in a folder by their form without case, each with its mode; looked at once for all."""


def _spellings(root: int, parts: tuple[str, ...]) -> Mapping[str, Mapping[str, int]]:
    found: dict[str, dict[str, int]] = {}
    with suppress(FileNotFoundError), walk.folder(root, parts) as folder, os.scandir(folder) as entries:
        for entry in entries:
            mode = stat.S_IFREG if entry.is_file(follow_symlinks=False) else _mode(entry)
            found.setdefault(paths.fold(entry.name), {})[entry.name] = mode
    return found


def _mode(entry: os.DirEntry[str]) -> int:
    with suppress(FileNotFoundError):
        return entry.stat(follow_symlinks=False).st_mode
    return stat.S_IFREG


def _check_file_free(spellings: _Spellings, file: str, wanted: Container[str]) -> None:
    """No file may take the place of a folder, or stand beside one that differs from it only in case."""
    parts, name = split(file)
    found = spellings(parts).get(paths.fold(name), {})
    mode = found.get(name, stat.S_IFREG)
    if not stat.S_ISREG(mode):
        raise PathConflict(f"{walk.kind_of(mode)} is in its way", path=file, hint="move it away first")
    others = [other for other in found if "/".join((*parts, other)) not in wanted]
    if others and name not in found and not is_content(file):
        message = f"`{others[0]}` differs from it only in case"
        raise PathConflict(message, path=file, hint="delete it first, or use its name")


def stem_of(name: str) -> str | None:
    """A page's or twin's file name without its suffix; None for other files."""
    for suffix in (paths.TWIN_SUFFIX, *paths.PAGE_SUFFIXES):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return None


def _drop(root: int, drop: Iterable[str]) -> None:
    """Remove folders that are empty; one that stays does no harm."""
    for folder in drop:
        parts, name = split(folder)
        with suppress(OSError, walk.Blocked), walk.folder(root, parts) as parent:
            os.rmdir(name, dir_fd=parent)
            walk.forget()
            os.fsync(parent)


def check_other(file: str) -> None:
    """Raise InvalidPath unless the name is that of a file other than content that may be replaced."""
    if fault := other_fault(file):
        raise InvalidPath(fault, path=file)


def replace_other(turn: Turn, file: str, data: bytes | None, expected: bytes | None) -> None:
    """Replace a file that is no content, with the lock held. Raises as `ContentStore.replace_file`."""
    if current(turn.root, file) != expected:
        raise RevisionMismatch("the file was changed just now", path=file, hint="look at it again")
    parts, _ = split(file)
    if data is None:
        may_go = folders.spelled(turn.root, parts).emptied
        transaction.commit(turn, Change({}, [file], may_go=may_go, over={file: expected}))
        folders.remove_empty(turn.root, parts)
        return
    _check_file_free(partial(_spellings, turn.root), file, ())
    way: Way | None = folders.make(turn.root, parts) if parts else None
    try:
        made = way.made if way else ()
        transaction.commit(turn, Change({file: data}, made=made, over={file: expected}))
    except BaseException:
        if way is not None:
            folders.remove_empty(turn.root, way.parts, way.existing)
        raise
