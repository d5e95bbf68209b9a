"""Entries of a tar, one after the other: of a million, no more than one is in memory.

`tarfile` keeps every entry that it has met, and reads long names whole, however long they say they are. So
only its reader of a single header is used here. The content of sparse files is not understood.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator

from msgspec import Struct, field

from server.sites.archive_entry import CHUNK, ArchiveEntry, Kind
from server.sites.archive_limits import ArchiveRefused, shown
from server.sites.unpacked_stream import UnpackedStream

BLOCK = tarfile.BLOCKSIZE
LONGEST = 64 * 1024
"""Bytes of a header that belongs to an entry: long names, and what else there is to say of it."""
_HEADERS = {tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
_CUT = "the archive breaks off"
_DAMAGED = "the archive is damaged"


class _Said(Struct):
    """The headers that stand before an entry's own and say more of it."""

    fields: dict[str, str] = field(default_factory=dict)

    def add(self, kind: bytes, data: bytes) -> None:
        if kind == tarfile.GNUTYPE_LONGNAME:
            self.fields["path"] = data.partition(b"\0")[0].decode("utf-8", "surrogateescape")
        elif kind != tarfile.GNUTYPE_LONGLINK:
            self.fields |= _records(data)

    def name(self, info: tarfile.TarInfo) -> str:
        return self.fields.get("path", info.name)

    def size(self, info: tarfile.TarInfo) -> int:
        size = int(self.fields.get("size", info.size))
        if size < 0:
            raise ValueError("a size below zero")
        return size

    def is_sparse(self, info: tarfile.TarInfo) -> bool:
        return info.type == tarfile.GNUTYPE_SPARSE or any(
            name.startswith("GNU.sparse") for name in self.fields
        )


class _Content(Struct):
    """The rest of an entry's content."""

    stream: UnpackedStream
    left: int

    def chunks(self) -> Iterator[bytes]:
        while self.left:
            data = self.stream.read(min(self.left, CHUNK))
            if not data:
                raise ArchiveRefused(_CUT, hint="upload it again")
            self.left -= len(data)
            yield data


def tar_entries(stream: UnpackedStream) -> Iterator[ArchiveEntry]:
    """The entries of the tar in a stream. Raises ArchiveRefused."""
    said = _Said()
    while (info := _header(stream)) is not None:
        try:
            name, size = said.name(info), said.size(info)
        except ValueError as error:
            raise ArchiveRefused(f"{_DAMAGED}: {error}", path=shown(info.name)) from error
        if info.type in _HEADERS:
            said.add(info.type, _whole(stream, info.size))
            continue
        if info.type == tarfile.XGLTYPE:
            _check_global(_records(_whole(stream, info.size)))
            continue
        if said.is_sparse(info):
            raise ArchiveRefused("a sparse file", path=shown(name), hint="pack it without `--sparse`")
        said = _Said()
        content = _Content(stream, size if _has_content(info) else 0)
        padding = -content.left % BLOCK
        yield ArchiveEntry(name, _kind(info), content.left, content.chunks)
        content.left += padding
        for _ in content.chunks():
            pass
    _drain(stream)


def _header(stream: UnpackedStream) -> tarfile.TarInfo | None:
    """The next header; None at the end, which a tar says by a block of zeros."""
    try:
        return tarfile.TarInfo.frombuf(_exactly(stream, BLOCK), "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        if isinstance(error, tarfile.EOFHeaderError):  # type: ignore[attr-defined]
            return None
        raise ArchiveRefused(f"{_DAMAGED}: {error}", hint="pack it again") from error


def _exactly(stream: UnpackedStream, size: int) -> bytes:
    return b"".join(_Content(stream, size).chunks())


def _whole(stream: UnpackedStream, size: int) -> bytes:
    """All of a header that belongs to an entry."""
    if not 0 <= size <= LONGEST:
        raise ArchiveRefused(f"a header of {size:,} bytes; it may have {LONGEST:,}")
    return _exactly(stream, size + -size % BLOCK)[:size]


def _records(data: bytes) -> dict[str, str]:
    """The records of a header of pax, each `length keyword=value` and a newline."""
    found: dict[str, str] = {}
    while data:
        length, _, rest = data.partition(b" ")
        end = int(length) if length.isdigit() and len(length) < 8 else 0
        record = data[len(length) + 1 : end - 1]
        keyword, equals, value = record.partition(b"=")
        if not rest or not equals or data[end - 1 : end] != b"\n":
            raise ArchiveRefused(f"{_DAMAGED}: a header of an entry cannot be read", hint="pack it again")
        found[keyword.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        data = data[end:]
    return found


def _check_global(fields: dict[str, str]) -> None:
    """Refuse one name or size for all entries: nobody writes that, and programs read it differently."""
    if not fields.keys().isdisjoint({"path", "size", "linkpath"}):
        raise ArchiveRefused("a header gives all entries one name or size", hint="pack it again")


def _has_content(info: tarfile.TarInfo) -> bool:
    """Return whether bytes follow the header: as programs agree, also those of a kind that is not known."""
    return info.isreg() or info.type not in tarfile.SUPPORTED_TYPES


def _kind(info: tarfile.TarInfo) -> Kind:
    if info.isreg():
        return "file"
    if info.isdir():
        return "folder"
    if info.issym():
        return "symbolic link"
    return "hard link" if info.islnk() else "device"


def _drain(stream: UnpackedStream) -> None:
    """Read what follows the end, so that a compressed file that is cut off there is noticed.

    Zeros fill the last block. Another tar is none of this one: to leave it out without a word would be wrong.
    """
    while data := stream.read(CHUNK):
        if data.strip(b"\0"):
            hint = "pack everything into one archive at once"
            raise ArchiveRefused("something follows the end of the archive", hint=hint)
