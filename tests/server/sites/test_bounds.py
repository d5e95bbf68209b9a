"""Attacks by size, in a process that may take little memory and little time."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import resource
import struct
import tarfile
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from server.sites.archive_limits import ArchiveRefused
from server.sites.read_archive import import_archive
from tests.builder.children import in_child
from tests.server.sites.archives import end_of_zip, zipped

MEMORY, SECONDS = 150 << 20, 30
"""Bytes that an import may take, most of them for 100,000 entries of a zip; seconds of processor time."""
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
BOMB = 10 << 30
STEP = 64 << 20


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)


def _tar_bomb(pack: Callable[[bytes], bytes]) -> bytes:
    """A tar with a file of 10 GB of zeros, compressed in pieces."""
    return pack(_header("docs/a.png", BOMB)) + pack(bytes(STEP)) * (BOMB // STEP)


def _zip_bomb(said: int) -> bytes:
    """A zip with such a file, which is said to have so many bytes."""
    pieces = zlib.compressobj(9, wbits=-15)
    step = pieces.compress(bytes(STEP)) + pieces.flush(zlib.Z_FULL_FLUSH)
    data = step * (BOMB // STEP) + pieces.flush()
    say = struct.pack("<5H3L", 20, 0, 8, 0, 33, 0, len(data), said) + struct.pack("<HH", 10, 0)
    entry = b"PK\1\2\x14\0" + say + bytes(14) + b"docs/0.png"
    settings = (
        b"PK\3\4" + struct.pack("<5H3L", 20, 0, 0, 0, 33, 0, 0, 0) + struct.pack("<HH", 8, 0) + b"site.yml"
    )
    first = b"PK\3\4" + say + b"docs/0.png" + data
    directory = entry + (
        b"PK\1\2\x14\0" + settings[4:30] + bytes(10) + struct.pack("<L", len(first)) + b"site.yml"
    )
    return first + settings + directory + end_of_zip(2, len(directory), len(first) + len(settings))


def _many_in_zip(number: int, said: int) -> bytes:
    """A zip with so many entries, all of them the same, which says that it has `said`."""
    whole = zipped({"site.yml": b""}).getvalue()
    place = whole.index(b"PK\1\2")
    entry = whole[place : whole.index(b"PK\5\6")]
    return whole[:place] + entry * number + end_of_zip(said, len(entry) * number, place)


def _many_in_tar(number: int) -> bytes:
    return gzip.compress(_header("docs/a.md", 0) * 1000, 1) * (number // 1000)


ATTACKS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a zip of 10 GB": (lambda: _zip_bomb(0xFFFFFFF0), "it has more than 99,999,999 bytes"),
    "a zip of 10 GB that says less": (lambda: _zip_bomb(99_000_000), "Bad CRC-32"),
    "a tar.gz of 10 GB": (lambda: _tar_bomb(lambda data: gzip.compress(data, 1)), "more than 200 times"),
    "a tar.bz2 of 10 GB": (lambda: _tar_bomb(bz2.compress), "more than 200 times"),
    "a tar.xz of 10 GB": (
        lambda: _tar_bomb(lambda data: lzma.compress(data, preset=0)),
        "more than 200 times",
    ),
    "a zip of a million files": (lambda: _many_in_zip(1_000_000, 1_000_000), "too many entries"),
    "a zip that hides how many": (
        lambda: _many_in_zip(1_000_000, 1),
        "too many entries",
    ),
    "a zip of half a million files": (lambda: _many_in_zip(470_000, 470_000), "too many entries"),
    "a zip of many files": (lambda: _many_in_zip(100_000, 100_000), "it overlaps with another entry"),
    "a tar of a million files": (lambda: _many_in_tar(1_000_000), "more than 100,000 entries"),
    "a deep drawing": (
        lambda: zipped({"site.yml": b"", "docs/a.svg": b"<svg>" + b"<g>" * 1_300_000}).getvalue(),
        "imported",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_by_size_takes_little_memory_and_time(attack: str) -> None:
    build, outcome = ATTACKS[attack]
    archive = io.BytesIO(build())
    assert outcome in in_child(lambda: _outcome(archive))


def test_a_directory_is_not_read_before_its_size_is_known_to_be_small(tmp_path: Path) -> None:
    with (tmp_path / "a.zip").open("wb") as file:
        file.write(b"PK\3\4")
        file.seek(1 << 30)
        file.write(end_of_zip(1, (1 << 30) - 4, 4))
    assert in_child(lambda: _outcome(tmp_path / "a.zip")) == "the archive has too many entries"


def _outcome(archive: Path | BinaryIO) -> str:
    """Import within the limits, and say what came of it."""
    _restrict()
    with tempfile.TemporaryDirectory() as place:
        try:
            import_archive(archive, Path(place, "site"))
        except ArchiveRefused as refusal:
            return refusal.message
        except MemoryError:
            resource.setrlimit(resource.RLIMIT_AS, UNLIMITED)  # to say so takes memory, too
            return "out of memory"
        return "imported"


def _restrict() -> None:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
