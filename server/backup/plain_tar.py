"""Read a tar of which nothing is believed: plain files and folders below one folder, and nothing else.

The library keeps all that a header announces in memory, and knows links, devices and headers that change
other headers. A backup has none of these, so here each is refused before anything is written.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from typing import IO

from msgspec import Struct

from builder.errors import TwinpressError

BLOCK = tarfile.BLOCKSIZE
CHUNK = 1 << 20
FORMAT = tarfile.GNU_FORMAT
"""Long names and large files stand in headers of their own size, which change no other header."""
_NAME_BYTES, _PARTS = 8192, 64
_ERRORS = "surrogateescape"


class BadBackup(TwinpressError):
    """The file is no backup that can be restored."""


class Member(Struct, frozen=True):
    """A file or folder in a tar: its name, and where its bytes are."""

    name: str
    is_folder: bool
    offset: int
    size: int
    modified: float

    @property
    def parts(self) -> tuple[str, ...]:
        """The names on the way to it."""
        return tuple(self.name.split("/"))


def members(file: IO[bytes], start: int, size: int) -> Iterator[Member]:
    """Yield what the tar has that takes `size` bytes of a file from `start` on.

    Raises BadBackup for anything but files and folders with plain names, each of them once.
    """
    seen: set[str] = set()
    at, end, long_name = start, start + size, ""
    while (header := _header(file, at, end)) is not None:
        at += BLOCK
        if at + header.size > end or header.size < 0:
            raise BadBackup("the backup is cut off", hint="use another copy of it")
        if header.type == tarfile.GNUTYPE_LONGNAME and header.size <= _NAME_BYTES:
            long_name = _text(read(file, at, header.size))
        elif header.type in {tarfile.REGTYPE, tarfile.DIRTYPE}:
            name = checked_name(long_name or header.name)
            if name in seen:
                raise BadBackup(f"the backup has the name {name[:200]!r} twice", hint="use one that we wrote")
            seen.add(name)
            yield Member(name, header.type == tarfile.DIRTYPE, at, header.size, float(header.mtime))
            long_name = ""
        else:
            message = f"the backup has something that is neither file nor folder: {header.name[:200]!r}"
            raise BadBackup(message, hint="use one that `twinpress admin backup` has written")
        at += -(-header.size // BLOCK) * BLOCK


def checked_name(name: str) -> str:
    """Return a name that stays below the folder it is put into. Raises BadBackup."""
    plain = name.rstrip("/")
    parts = plain.split("/")
    if len(parts) > _PARTS or any(
        part in {"", ".", ".."} or "\0" in part or len(part) > 255 for part in parts
    ):
        raise BadBackup(f"the backup has a name that leads elsewhere: {name[:200]!r}", hint="do not use it")
    return plain


def read(file: IO[bytes], offset: int, size: int) -> bytes:
    """Return so many bytes of a file; fewer where it ends."""
    file.seek(offset)
    return file.read(size)


def pieces(file: IO[bytes], member: Member) -> Iterator[bytes]:
    """Yield the bytes of a member, some at a time. Raises BadBackup when they are not all there."""
    at, end = member.offset, member.offset + member.size
    while at < end:
        piece = read(file, at, min(CHUNK, end - at))
        if not piece:
            raise BadBackup("the backup is cut off", hint="use another copy of it")
        at += len(piece)
        yield piece


def _header(file: IO[bytes], at: int, end: int) -> tarfile.TarInfo | None:
    """The header at this place; None at the end of the tar."""
    block = read(file, at, BLOCK) if at + BLOCK <= end else b""
    if len(block) < BLOCK:
        raise BadBackup("the backup is cut off", hint="use another copy of it")
    if not any(block):
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", _ERRORS)
    except tarfile.HeaderError as error:
        message = f"the file is no backup, or is damaged: {error}"
        raise BadBackup(message, hint="use another copy of it") from None


def _text(name: bytes) -> str:
    return os.fsdecode(name.rstrip(b"\0"))
