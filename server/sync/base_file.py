"""The base: what folder and service had in common last, in a small file that may be committed.

The file lies beside `site.yml`. It has digests, revisions and categories, a page a line, sorted: no secret,
and small differences. To lose the last of what it knows does no harm: sides that are the same are known again
by comparing them. So it is written as often as takes a tenth of the time at most, and when a push or pull
ends, however that ends.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from builder.store import failures
from server.authoring.structs import Category
from server.process.file_lock import try_lock
from server.sync.errors import SyncError
from server.sync.side import PageState, Side, blank, is_blank, with_field

NAME = ".twinpress-sync.json"
VERSION = 1
_SHARE = 10
"""One part of so many is the time that may go into writing the file."""
_LARGEST = 64 * 1024 * 1024
"""Bytes."""


class Base(Struct, frozen=True):
    """The content of the file. `service` is the address, `site` the id of the site there."""

    service: str
    site: str
    pages: dict[str, PageState] = msgspec.field(default_factory=dict)
    categories: dict[str, Category] = msgspec.field(default_factory=dict)

    def side(self) -> Side:
        """The base as a side to compare with."""
        return Side(self.pages, self.categories)


class _Record(Struct, forbid_unknown_fields=True):
    """The file as it is decoded."""

    version: int
    service: str
    site: str
    pages: dict[str, PageState]
    categories: dict[str, dict[str, str | int | float | bool | None]]


def load(folder: Path) -> Base | None:
    """The base of the site in `folder`, None when there is none. Raises SyncError when it cannot be read."""
    path = folder / NAME
    try:
        data = _read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failures.storage_error(NAME, error) from error
    try:
        record = msgspec.json.decode(data, type=_Record)
        if record.version != VERSION:
            raise SyncError(
                f"is of another version of Twinpress ({record.version})", path=NAME, hint="update Twinpress"
            )
        categories = {
            folder: msgspec.convert({"path": folder} | _FIELDLESS | fields, Category)
            for folder, fields in record.categories.items()
        }
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        hint = "restore it from git, or delete it: without it, every page that differs is a conflict"
        raise SyncError(f"cannot be read: {error}", path=NAME, hint=hint) from None
    return Base(record.service, record.site, record.pages, categories)


_FIELDLESS: dict[str, object] = {"label": None, "position": None, "collapsed": None}


def _read(path: Path) -> bytes:
    """Read the file; one that is a link is refused, as a site may come from anybody."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_LARGEST)


def encode(base: Base) -> bytes:
    """The file's bytes: sorted, a page or a category a line."""
    pages = [(path, _line(msgspec.to_builtins(state))) for path, state in sorted(base.pages.items())]
    categories = [(path, _line(_fields(each))) for path, each in sorted(base.categories.items())]
    return (
        f'{{\n"version": {VERSION},\n"service": {_line(base.service)},\n"site": {_line(base.site)},\n'
        f'"pages": {{{_lines(pages)}}},\n"categories": {{{_lines(categories)}}}\n}}\n'
    ).encode()


def _fields(category: Category) -> dict[str, object]:
    fields = msgspec.to_builtins(category)
    return {name: value for name, value in fields.items() if name != "path" and value is not None}


def _line(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


def _lines(entries: list[tuple[str, str]]) -> str:
    return "\n" + ",\n".join(f"{_line(path)}: {text}" for path, text in entries) + "\n" if entries else ""


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let no other push or pull run in the folder for the time of the block. Raises SyncError."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise failures.storage_error(str(folder), error) from error
    try:
        if not try_lock(descriptor):
            hint = "wait until it has ended"
            raise SyncError("another push or pull is under way", path=str(folder), hint=hint)
        yield
    finally:
        os.close(descriptor)


class BaseKeeper:
    """Keeps the base of the site in `folder` as things are agreed on, and writes it; a rehearsal does not."""

    def __init__(self, folder: Path, base: Base, *, written: bool, rehearsal: bool = False) -> None:
        self._folder = folder
        self._base = base
        self._pages = dict(base.pages)
        self._categories = dict(base.categories)
        self._due = 0.0
        self._is_written = written
        self._rehearsal = rehearsal

    @property
    def base(self) -> Base:
        """The base as it is now."""
        return replace(self._base, pages=self._pages, categories=self._categories)

    def agree(self, path: str, state: PageState | None) -> None:
        """Both sides have this page now, or none of them has it. `state` is the service's."""
        if self._pages.get(path) == state:
            return
        if state is None:
            self._pages.pop(path, None)
        else:
            self._pages[path] = state
        self._changed()

    def agree_field(self, path: str, name: str, value: object) -> None:
        """Both sides have this value of a field of a category."""
        before = self._categories.get(path) or blank(path)
        now = with_field(before, name, value)
        if now == before:
            return
        if is_blank(now):
            self._categories.pop(path, None)
        else:
            self._categories[path] = now
        self._changed()

    def _changed(self) -> None:
        self._is_written = False
        if time.monotonic() >= self._due:
            self.write()

    def write(self) -> None:
        """Write the file, unless it says that already. Raises StorageError."""
        if self._is_written or self._rehearsal:
            return
        started = time.monotonic()
        _replace(self._folder, encode(self.base))
        ended = time.monotonic()
        self._due = ended + (ended - started) * _SHARE
        self._is_written = True


def _replace(folder: Path, data: bytes) -> None:
    """Write the file in one step: whoever reads it has the old one or the new one."""
    new = folder / f"{NAME}.new"  # one that a killed run has left goes; no other run is under way
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with suppress(FileNotFoundError):
            new.unlink()
        with os.fdopen(os.open(new, flags, 0o666), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(folder / NAME)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise failures.storage_error(NAME, error) from error
