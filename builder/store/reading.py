"""Read one page with its twin, both of the same state."""

from __future__ import annotations

import os
from dataclasses import dataclass

from builder import paths
from builder.diagnostics import Diagnostic
from builder.errors import PageNotFound, PageTooLarge
from builder.paths import Format
from builder.store import journal, lock, names, walk
from builder.store.records import PAGE_LIMIT, Source, revision
from builder.store.texts import decode


@dataclass(frozen=True, slots=True)
class Raw:
    """A page's bytes. `place` is its folder on disk, `twin_name` the twin's file, None when there is none."""

    path: str
    place: str
    format: Format
    name: str
    page: bytes
    twin_name: str | None
    twin: bytes | None
    is_whole: bool

    @property
    def revision(self) -> str:
        """The name of this state."""
        return revision(self.format, self.page, self.twin)


def read_whole(root: int, path: str) -> Raw | None:
    """The page in one state, or None when it is being changed all the time and must be read under the lock.

    Raises PageNotFound, PageTooLarge, OSError.
    """
    for last in (False, False, True):
        try:
            raw = read_raw(root, path)
        except PageNotFound:
            # A change of the format puts the new file first and then removes the old one: whoever looks for
            # the new one too early and for the old one too late finds neither.
            if last:
                raise
            continue
        if raw.is_whole:
            return raw
    return None


def read_raw(root: int, path: str) -> Raw:
    """The bytes of the page at a content path. Raises PageNotFound, PageTooLarge, OSError.

    `is_whole` is False when the page was being changed meanwhile, so that page and twin may not belong
    together; then it has to be read again.
    """
    *parts, stem = path.split("/")
    try:
        with walk.folder(root, parts) as folder:
            found = names.find(folder, stem)
            if not found.pages:
                raise not_found(path)
            format, name = next(iter(found.pages.items()))
            page, about = _page(folder, name, path)
            twin, twin_about = read_twin(folder, found.twin)
            busy = in_change(root)
            twin_name = found.twin or stem + paths.TWIN_SUFFIX
            whole = not busy and _same(folder, name, about) and _same(folder, twin_name, twin_about)
            place = "/".join(walk.spelled(root, parts))
            return Raw(path, place, format, name, page, found.twin, twin, whole)
    except (FileNotFoundError, walk.Blocked):
        raise not_found(path) from None


def as_source(raw: Raw) -> Source:
    """The page as text, with what is wrong with its bytes."""
    file = f"{raw.place}/{raw.name}"
    text, found = decode(raw.page, file)
    twin_file = f"{raw.place}/{raw.twin_name}"
    if raw.twin is None:
        too_large = Diagnostic(twin_file, 0, 0, "page-too-large", f"a twin may have {PAGE_LIMIT:,} bytes")
        said = (too_large,) if raw.twin_name else ()
        return Source(raw.path, raw.format, text, None, raw.revision, file, (*found, *said))
    twin, more = decode(raw.twin, twin_file)
    return Source(raw.path, raw.format, text, twin, raw.revision, file, (*found, *more))


def not_found(path: str) -> PageNotFound:
    """There is no page at this content path."""
    return PageNotFound("there is no such page", path=path)


def _page(folder: int, name: str, path: str) -> tuple[bytes, os.stat_result]:
    try:
        return walk.read_file(folder, name, PAGE_LIMIT)
    except walk.TooLarge:
        message = f"`{name}` has more than {PAGE_LIMIT:,} bytes"
        raise PageTooLarge(message, path=path, hint="split the page") from None


def read_twin(folder: int, name: str | None) -> tuple[bytes | None, os.stat_result | None]:
    """The twin's bytes, None when there is no twin or it is too large to be one."""
    if name is None:
        return None, None
    try:
        return walk.read_file(folder, name, PAGE_LIMIT)
    except walk.TooLarge:
        return None, walk.look(folder, name)


def _same(folder: int, name: str, before: os.stat_result | None) -> bool:
    """Whether a file is still the one that was read."""
    now = walk.look(folder, name)
    if now is None or before is None:
        return now is before
    return (now.st_ino, now.st_mtime_ns, now.st_size) == (before.st_ino, before.st_mtime_ns, before.st_size)


def in_change(root: int) -> bool:
    """Whether several files are just being changed together, or such a change was interrupted."""
    try:
        os.stat("/".join((*lock.STATE, journal.NAME)), dir_fd=root, follow_symlinks=False)
    except OSError:
        return False
    return True
