"""Archives for tests, built from their entries; what lies in a folder, as a dictionary."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from server.sites.archive_limits import ArchiveLimits, ArchiveRefused
from server.sites.read_archive import ImportReport, import_archive

SITE = {"site.yml": b"title: Boats\n", "docs/index.md": b"# Boats\n", "static/logo.png": b"\x89PNG"}
"""A small site."""


def zipped(files: Mapping[str, bytes], system: int = 3, method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    """A zip with these files by name; a name with a slash at its end is a folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo("x")
            info.filename, info.compress_type, info.create_system = name, method, system
            archive.writestr(info, data)
    return out


def tarred(files: Mapping[str, bytes], *members: tarfile.TarInfo) -> io.BytesIO:
    """A tar with these files by name, and members without content before them."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member in members:
            archive.addfile(member)
        for name, data in files.items():
            info = tarfile.TarInfo(name.rstrip("/"))
            info.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out


def member(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    """A member of a tar that is no file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def packed(pack: Callable[[bytes], bytes]) -> Callable[[Mapping[str, bytes]], io.BytesIO]:
    """Pack a tar of files."""
    return lambda files: io.BytesIO(pack(tarred(files).getvalue()))


KINDS: dict[str, Callable[[Mapping[str, bytes]], io.BytesIO]] = {
    "zip": zipped,
    "tar": tarred,
    "tar.gz": packed(gzip.compress),
    "tar.bz2": packed(bz2.compress),
    "tar.xz": packed(lzma.compress),
}
"""Everything that an archive can be."""


def files_in(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def imported(archive: io.BytesIO, folder: Path, **limits: int) -> tuple[ImportReport, dict[str, bytes]]:
    """Import into a new folder below this one; give the report and what lies there."""
    report = import_archive(archive, folder / "site", ArchiveLimits(**limits))
    assert [path.name for path in folder.iterdir()] == ["site"]
    return report, files_in(folder / "site")


def refused(archive: io.BytesIO, folder: Path, **limits: int) -> ArchiveRefused:
    """Have an import refused, which leaves nothing behind."""
    with pytest.raises(ArchiveRefused) as refusal:
        import_archive(archive, folder / "site", ArchiveLimits(**limits))
    assert list(folder.iterdir()) == []
    assert str(refusal.value).isprintable()
    return refusal.value


def end_of_zip(entries: int, size: int, place: int) -> bytes:
    """The end of a zip, which says how many entries its directory has, how large it is and where."""
    few = min(entries, 0xFFFF)
    return struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, few, few, size, place, 0)
