"""Read one page with its twin, both of the same state, as text: whatever the bytes are, there is a text."""

from __future__ import annotations

import codecs
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct

from builder import paths
from builder.diagnostics import Diagnostic
from builder.errors import PageNotFound, PageTooLarge
from builder.paths import Format
from builder.store import journal, lock, names, walk
from builder.store.limits import PAGE_LIMIT
from builder.store.records import FRESH, FileState, Source, revision, state_of
from builder.yaml.positions import place

_LOOKS = 3
_SUFFIXES = (*names.SUFFIXES.values(), paths.TWIN_SUFFIX)


class RawPage(Struct, frozen=True):
    """A page's bytes. `place` is its folder on disk, `twin_name` the twin's file, None when there is none.

    `seen` is what the system said of each name that the page's files have or could have, None of those that
    were not there, `at` the time (`time.time_ns`) when it began to be read.
    `others` tell the states of its files that are not given: too large, or of another format. The bytes of a
    page that is too `large` itself are not here.
    """

    path: str
    place: str
    format: Format
    name: str
    page: bytes
    twin_name: str | None
    twin: bytes | None
    seen: Mapping[str, FileState | None]
    at: int
    others: tuple[bytes, ...] = ()
    large: bool = False

    @property
    def revision(self) -> str:
        """The name of this state."""
        return revision(self.format, self.page, self.twin, self.others)


def read_whole(root: int, path: str) -> RawPage | None:
    """The page in one state, or None when it is being changed all the time and must be read under the lock.

    Raises PageNotFound, OSError.
    """
    for _ in range(_LOOKS):
        try:
            raw = _read_quietly(root, path)
        except PageNotFound:
            # A change of the format puts the new file first and then removes the old one: whoever looks for
            # the new one too early and for the old one too late finds neither.
            if _is_missing(root, path):
                raise
            continue
        if raw is not None:
            return raw
    return None


def read_raw(root: int, path: str) -> RawPage:
    """The bytes of the page at a content path, for those who hold the lock, as read_whole is for all others.

    Raises PageNotFound, OSError.
    """
    with _in_folder(root, path) as folder:
        return _read(root, folder, path)


def is_as_read(root: int, raw: RawPage) -> bool:
    """Return whether the page's files surely are those that were read: settled times tell."""
    youngest = max(seen.youngest for seen in raw.seen.values() if seen)
    if raw.at - youngest < FRESH:
        return False
    with _in_folder(root, raw.path) as folder:
        return _is_same(folder, raw)


def _read_quietly(root: int, path: str) -> RawPage | None:
    """The page; None when it was being changed meanwhile, so that page and twin may not belong together."""
    with _in_folder(root, path) as folder:
        raw = _read(root, folder, path)
        return None if in_change(root) or not _is_same(folder, raw) else raw


def _is_missing(root: int, path: str) -> bool:
    """Return whether there surely is no page: none was found, and its folder was long unchanged."""
    *parts, stem = path.split("/")
    now = time.time_ns()
    try:
        with walk.folder(root, parts) as folder:
            before = os.fstat(folder)
            if names.find(folder, stem).pages or now - state_of(before).youngest < FRESH:
                return False
            return state_of(before) == state_of(os.fstat(folder))
    except (FileNotFoundError, walk.Blocked):
        return True


@contextmanager
def _in_folder(root: int, path: str) -> Iterator[int]:
    """The folder of the page at `path`; where there is none, there is no page."""
    try:
        with walk.folder(root, path.split("/")[:-1]) as folder:
            yield folder
    except (FileNotFoundError, walk.Blocked):
        raise not_found(path) from None


def _read(root: int, folder: int, path: str) -> RawPage:
    *parts, stem = path.split("/")
    now = time.time_ns()
    found = names.find(folder, stem)
    if not found.pages:
        raise not_found(path)
    files = {name: _bytes(folder, name) for name in found.all}
    format, name = next(iter(found.pages.items()))
    page, twin = files[name][0], files[found.twin][0] if found.twin else None
    seen: dict[str, FileState | None] = {stem + suffix: None for suffix in _SUFFIXES}
    seen |= {each: _seen(about) for each, (_, about) in files.items()}
    others = tuple(
        sign(each, about) if data is None else data
        for each, (data, about) in files.items()
        if data is None or each not in {name, found.twin}
    )
    place = "/".join(walk.spelled(root, parts))
    return RawPage(path, place, format, name, page or b"", found.twin, twin, seen, now, others, page is None)


def as_source(raw: RawPage, *, any_size: bool = False) -> Source:
    """The page as text, with what is wrong with its bytes.

    One that is too large raises PageTooLarge; with `any_size` it has no text.
    """
    file = f"{raw.place}/{raw.name}"
    if raw.large and not any_size:
        message = f"`{raw.name}` has more than {PAGE_LIMIT:,} bytes"
        raise PageTooLarge(message, path=raw.path, hint="split the page")
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


def read_twin(folder: int, name: str | None) -> bytes | None:
    """The twin's bytes, None when there is no twin or it is too large to be one."""
    return _bytes(folder, name)[0] if name else None


def sign(name: str, about: os.stat_result | None) -> bytes:
    """Return a stand-in for the bytes of a file that is too large to be read."""
    return f"{name}\0{about and (about.st_size, about.st_mtime_ns)}".encode(errors="surrogateescape")


def _bytes(folder: int, name: str) -> tuple[bytes | None, os.stat_result | None]:
    """A file's bytes, None when they are too many."""
    try:
        return walk.read_file(folder, name, PAGE_LIMIT)
    except walk.TooLarge:
        return None, walk.look(folder, name)


def _is_same(folder: int, raw: RawPage) -> bool:
    """Return whether the page's files are still those that were read."""
    return all(_seen(walk.look(folder, name)) == seen for name, seen in raw.seen.items())


def _seen(found: os.stat_result | None) -> FileState | None:
    return found and state_of(found)


def in_change(root: int) -> bool:
    """Return whether several files are just being changed together, or such a change was interrupted."""
    try:
        os.stat("/".join((*lock.STATE, journal.NAME)), dir_fd=root, follow_symlinks=False)
    except OSError:
        return False
    return True


_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(data: bytes, file: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text, with U+FFFD for bytes that are no UTF-8, and what is wrong with it.

    NUL characters stay, so that what is read is what was written; they are shown as U+FFFD when rendered.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return data.decode(errors="replace"), (_encoding(data, error, file),)
    at = text.find("\0")
    if at < 0:
        return text, ()
    line, column = place(text.removeprefix("\ufeff"), at - text.startswith("\ufeff"))
    count = text.count("\0")
    message = "the text has a NUL character" if count == 1 else f"the text has {count} NUL characters"
    return text, (Diagnostic(file, line, column, "nul-character", message, "delete it"),)


def _encoding(data: bytes, error: UnicodeDecodeError, file: str) -> Diagnostic:
    good = data[: error.start].decode().removeprefix("\ufeff")
    line, column = place(good, len(good))
    message = f"the byte 0x{data[error.start]:02X} is not valid UTF-8"
    hint = (
        "save the file as UTF-8; it looks like UTF-16" if data.startswith(_WIDE) else "save the file as UTF-8"
    )
    return Diagnostic(file, line, column, "page-encoding", message, hint)
