"""Values that the store gives: they say where things lie and what was found."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from builder.category.record import CategoryRecord
from builder.diagnostics import Diagnostic
from builder.paths import Format

FRESH = 50_000_000
"""Nanoseconds: a file or folder younger than this may change again without its times telling."""
Identity = tuple[int, int, int]
"""Inode, size in bytes, time of the last change in nanoseconds."""


class FileState(NamedTuple):
    """A mark by which a file, or a folder, is known to be as it was: inode, bytes, times in nanoseconds.

    `changed` is when its content was, `touched` when anything of it was, its name included.
    """

    inode: int
    size: int
    changed: int
    touched: int

    @property
    def youngest(self) -> int:
        """The later of both times."""
        return max(self.changed, self.touched)

    @property
    def identity(self) -> Identity:
        """The part of the state that stays when a file gets another name."""
        return self[:3]


def state_of(found: os.stat_result) -> FileState:
    """The state of a file that was looked at."""
    return FileState(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class PageFile(Struct, frozen=True, gc=False):
    """A page's file. `path` is its content path, `file` the name on disk, relative to the site.

    `twin_file` is the hand-written twin's, if there is one.
    """

    path: str
    file: str
    format: Format
    twin_file: str | None = None


class SiteFile(Struct, frozen=True):
    """A file that is copied: `file` is relative to the site, `output` relative to what a build writes."""

    file: str
    output: str


class Scan(Struct, frozen=True):
    """All that lies in a site. `pages` are sorted by path, `files` by output, `categories` keyed by path.

    `linked` are files of any kind, sorted by name, that have another name outside of the site (a hard link).
    `parts` are files that could only be parts, as a name on their way begins with `_`; each with what is
    wrong with it where pages include none.
    """

    pages: tuple[PageFile, ...]
    categories: Mapping[str, CategoryRecord]
    files: tuple[SiteFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    linked: tuple[str, ...] = ()
    parts: tuple[tuple[str, Diagnostic], ...] = ()


class Source(Struct, frozen=True):
    """One page as it was read. `text` and `twin` are as stored; `revision` is that of their bytes."""

    path: str
    format: Format
    text: str
    twin: str | None
    revision: str
    file: str
    diagnostics: tuple[Diagnostic, ...] = ()


class Draft(Struct, frozen=True):
    """A page as it is to be stored; `twin` is None when it is to have none."""

    path: str
    format: Format
    page: bytes
    twin: bytes | None


class Written(Struct, frozen=True):
    """The outcome of a write: `created` tells a new page from a replaced one.

    `removed` are files of the page that went, `large_twin` is the twin that stayed as it is too large to be
    given, and `as_stored` are files whose bytes are no UTF-8 and stayed, as their text is the same.
    """

    revision: str
    created: bool
    file: str
    removed: tuple[str, ...] = ()
    large_twin: str = ""
    as_stored: tuple[str, ...] = ()


def revision(format: Format, page: bytes, twin: bytes | None, others: Iterable[bytes] = ()) -> str:
    """The name of one state of a page: a hash over format, page file and twin, 32 hexadecimal digits.

    `others` tell the states of files that are not given, but would go or stay with the page.
    """
    head = f"{format}\0{len(page)}\0{'-' if twin is None else len(twin)}\0"
    made = hashlib.blake2b(head.encode(), digest_size=16)
    made.update(page)
    made.update(twin or b"")
    for other in others:
        made.update(b"\0" + hashlib.blake2b(other, digest_size=16).digest())
    return made.hexdigest()
