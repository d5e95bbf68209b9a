"""Plan a page's write: what it comes down to on disk, and whether the site has room for one more page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct

from builder import paths
from builder.errors import PageLimitReached, PageTooLarge, PathConflict
from builder.paths import Format
from builder.store import names, walk
from builder.store.folders import Way
from builder.store.limits import PAGE_LIMIT
from builder.store.names import CONTENT, PageNames
from builder.store.page_reader import read_twin, sign
from builder.store.records import Draft, Written, revision
from builder.store.scan import MAX_FOLDERS, scan

_REPLACEMENT = "\ufffd".encode()


class Plan(Struct, frozen=True):
    """The files to be put, and what the write will have done; its `removed` are to be removed."""

    puts: Mapping[str, bytes]
    written: Written


def make_draft(path: str, format: Format, text: str, twin: str | None) -> Draft:
    """The page as bytes. Raises InvalidPath, PageTooLarge, UnicodeEncodeError."""
    path = paths.parse(path)
    data = None if twin is None else _encoded(path, twin)
    return Draft(path, format, _encoded(path, text), data)


def _encoded(path: str, text: str) -> bytes:
    data = text.encode()
    if len(data) > PAGE_LIMIT:
        message = f"it has {len(data):,} bytes, and a page may have {PAGE_LIMIT:,}"
        raise PageTooLarge(message, path=path, hint="split the page")
    return data


def plan(root: int, way: Way, draft: Draft, most: int | None) -> Plan:
    """The plan for a page in the folder at the end of the way.

    Raises PathConflict when something else stands there, and PageLimitReached for a new page when the site
    has `most` pages.
    """
    stem = draft.path.rpartition("/")[2]
    try:
        with walk.folder(root, way.parts) as folder:
            found = names.find(folder, stem)
            _check_free(folder, draft.path, stem, found)
            made = _plan(folder, way, stem, draft, found)
    except FileNotFoundError:  # a folder that is not made yet
        made = _plan(-1, way, stem, draft, PageNames({}, None, ()))
    if made.written.created and most is not None and is_full(root, most):
        raise PageLimitReached(f"the site has {most:,} pages, which is the most it may have")
    return made


def _plan(folder: int, way: Way, stem: str, draft: Draft, found: PageNames) -> Plan:
    page = _as_stored(folder, next(iter(found.pages.values()), None), draft.page)
    twin = None if draft.twin is None else _as_stored(folder, found.twin, draft.twin)
    old_twin = read_twin(folder, found.twin)
    file = way.file(found.pages.get(draft.format, stem + names.SUFFIXES[draft.format]))
    twin_file = way.file(found.twin or stem + paths.TWIN_SUFFIX)
    puts = {file: page} | ({twin_file: twin} if twin is not None and twin != old_twin else {})
    gone = [way.file(name) for other, name in found.pages.items() if other != draft.format]
    stays = found.twin if twin is None and old_twin is None else None  # nobody was given it
    if twin is None and found.twin and not stays:
        gone.append(twin_file)
    others = [sign(stays, walk.look(folder, stays))] if stays else []
    kept = ((file, page, draft.page), (twin_file, twin, draft.twin))
    return Plan(puts, Written(
        revision(draft.format, page, twin, others),
        not found.pages,
        file,
        tuple(gone),
        twin_file if stays else "",
        tuple(name for name, stored, sent in kept if stored != sent),
    ))  # fmt: skip


def _as_stored(folder: int, name: str | None, data: bytes) -> bytes:
    """The bytes to write: those that are there, if they are no UTF-8 and `data` is what they are shown as."""
    if name is None or _REPLACEMENT not in data:
        return data
    try:
        now = walk.read_file(folder, name, PAGE_LIMIT)[0]
    except walk.TooLarge:
        return data
    return now if now.decode(errors="replace").encode() == data else data


def _check_free(folder: int, path: str, stem: str, found: PageNames) -> None:
    """Nothing else may stand where the page or its twin will be, and no page may differ only in case."""
    for name in found.blocked:
        kind = walk.kind_of(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        raise PathConflict(f"`{name}` is {kind}, not a file", path=path, hint="remove or rename it")
    other = None if found.pages else names.other_spelling(folder, stem)
    if other is not None:
        raise PathConflict(
            f"the file `{other}` differs from it only in case", path=path, hint="choose another name"
        )


_SUFFIXES = tuple(paths.PAGE_SUFFIXES)


def is_full(root: int, most: int) -> bool:
    """Return whether the site has so many pages; asked with the lock held, so quick unless that is close."""
    return _names(root) >= most and len(scan(root).pages) >= most


def _names(root: int) -> int:
    """Count the files that are called like pages, twins among them: as many pages there are at most."""
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
