"""Archives of attackers: each is refused with a reason, and nothing is written."""

from __future__ import annotations

import gzip
import io
import lzma
import random
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from server.sites.archive_limits import ArchiveRefused
from server.sites.read_archive import import_archive
from tests.server.sites.archives import KINDS, SITE, end_of_zip, imported, member, refused, tarred, zipped

NAMES = {
    "/etc/passwd": "its name begins at the root of a disk",
    "//host/docs/a.md": "its name begins at the root of a disk",
    "C:/docs/a.md": "its name begins at the root of a disk",
    "c:docs/a.md": "its name begins at the root of a disk",
    "../a.md": "its name leads out of the archive, by `..`",
    "docs/../../a.md": "its name leads out of the archive, by `..`",
    "node_modules/../../a.md": "its name leads out of the archive, by `..`",
    "docs/..": "its name leads out of the archive, by `..`",
    "docs\\..\\..\\a.md": "its name has a backslash",
    "docs/a\nb.md": "its name has a control character",
    "docs/\x1b[2Ja.md": "its name has a control character",
    "docs/" + "a/" * 40 + "b.md": "it is more than 32 folders deep",
    "docs/" + "é" * 130 + ".md": "its name is longer than 255 bytes, or its path than 1024",
    "static/" + ("a" * 200 + "/") * 6 + "b": "its name is longer than 255 bytes, or its path than 1024",
    "docs/" + "a" * 5000: "a name of 5,005 characters",
}


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, kind: str, name: str) -> None:
    refusal = refused(KINDS[kind](SITE | {name: b"evil"}), tmp_path)
    assert refusal.message == NAMES[name]
    assert refusal.path


def test_a_name_with_a_zero_is_refused(tmp_path: Path) -> None:
    data = zipped(SITE | {"docs/a.mdX.png": b""}).getvalue()
    refusal = refused(io.BytesIO(data.replace(b"a.mdX.png", b"a.md\0.png")), tmp_path)
    assert refusal.message == "its name has a character that ends names"


def test_backslashes_of_windows_lead_nowhere_else(tmp_path: Path) -> None:
    for name in ("..\\a.md", "\\\\host\\share\\a.md", "\\a.md", "C:\\a.md"):
        refused(zipped(SITE | {name: b"evil"}, system=0), tmp_path)


@pytest.mark.parametrize("name", ["", ".", "./."])
def test_a_file_without_a_name_is_refused(tmp_path: Path, name: str) -> None:
    assert refused(zipped(SITE | {name: b""}), tmp_path).message == "there is a file without a name"


def test_a_name_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    data = tarred(SITE | {"docs/a?.md": b""}).getvalue().replace(b"docs/a?.md", b"docs/a\xff.md")
    block = data.index(b"docs/a\xff.md")
    header = bytearray(data[block : block + 512])
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    refusal = refused(io.BytesIO(data[:block] + bytes(header) + data[block + 512 :]), tmp_path)
    assert refusal.message == "its name is not valid UTF-8"


DOUBLES = [
    (["docs/a.md", "docs/A.md"], "only in case"),
    (["docs/Guide/a.md", "docs/guide/b.md"], "only in case"),
    (["docs/stra\xdfe.md", "docs/STRASSE.md"], "only in case"),
    (["docs/a.md", "docs/./a.md"], "two entries have this name"),
    (["docs/\xe9.md", "docs/e\u0301.md"], "two entries have this name"),
    (["docs/a.md", "docs/a.md/b.png"], "two entries have this name"),
    (["docs/a.md/b.png", "docs/a.md"], "two entries have this name"),
    (["docs/a.md", "docs/a.md/"], "two entries have this name"),
    (["site.yml", "./site.yml"], "two entries have this name"),
]


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize(("names", "reason"), DOUBLES)
def test_two_entries_for_one_file_are_refused(
    tmp_path: Path, kind: str, names: list[str], reason: str
) -> None:
    site = {} if "site.yml" in names else SITE
    assert reason in refused(KINDS[kind](site | dict.fromkeys(names, b"")), tmp_path).message


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    refusal = refused(tarred(SITE, member("docs/a", kind)), tmp_path)
    assert (refusal.path, refusal.message) == ("docs/a", "it is a device or a named pipe")


def test_a_device_in_a_zip_is_refused(tmp_path: Path) -> None:
    out = zipped(SITE)
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("docs/pipe")
        info.external_attr = 0o010644 << 16
        archive.writestr(info, b"")
    assert refused(out, tmp_path).message == "it is a device or a named pipe"


def test_a_link_in_a_zip_is_left_out(tmp_path: Path) -> None:
    out = zipped(SITE)
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("docs/link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, b"/etc/passwd")
    report, files = imported(out, tmp_path)
    assert files == SITE
    assert [line.path for line in report.left_out] == ["docs/link"]


def _pax(kind: bytes, data: bytes, size: int | None = None) -> bytes:
    """A header of pax before the small site."""
    info = tarfile.TarInfo("header")
    info.type, info.size = kind, len(data) if size is None else size
    return info.tobuf(tarfile.USTAR_FORMAT) + data + b"\0" * (-len(data) % 512) + tarred(SITE).getvalue()


HEADERS = {
    "sparse": (_pax(b"x", b"22 GNU.sparse.major=1\n"), "a sparse file"),
    "old sparse": (_pax(b"S", b""), "a sparse file"),
    "a name for all": (_pax(b"g", b"15 path=docs/a\n"), "a header gives all entries one name or size"),
    "a size for all": (_pax(b"g", b"10 size=9\n"), "a header gives all entries one name or size"),
    "negative": (_pax(b"x", b"11 size=-9\n"), "the archive is damaged: a size below zero"),
    "no number": (_pax(b"x", b"10 size=x\n"), "the archive is damaged: invalid literal"),
    "no length": (_pax(b"x", b"path=docs/a\n"), "a header of an entry cannot be read"),
    "wrong length": (_pax(b"x", b"99 path=docs/a\n"), "a header of an entry cannot be read"),
    "length zero": (_pax(b"x", b"0 path=docs/a\n"), "a header of an entry cannot be read"),
    "large": (_pax(b"x", b"", (1 << 33) - 1), "a header of 8,589,934,591 bytes"),
    "large name": (_pax(b"L", b"", (1 << 33) - 1), "a header of 8,589,934,591 bytes"),
    "out by pax": (_pax(b"x", b"19 path=../../a.md\n"), "its name leads out of the archive"),
    "out by GNU": (_pax(b"L", b"../../a.md\0"), "its name leads out of the archive"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_that_say_what_no_site_needs_are_refused(tmp_path: Path, name: str) -> None:
    data, reason = HEADERS[name]
    assert reason in refused(io.BytesIO(data), tmp_path).message


def test_the_header_that_git_writes_is_read(tmp_path: Path) -> None:
    assert imported(io.BytesIO(_pax(b"g", b"16 comment=1234\n")), tmp_path)[1] == SITE


@pytest.mark.parametrize("format", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_read(tmp_path: Path, format: int) -> None:
    name, out = "docs/" + "a" * 120 + "/" + "b" * 120 + ".png", io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for path, data in (SITE | {name: b"c" * 1000}).items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    assert imported(out, tmp_path)[1] == SITE | {name: b"c" * 1000}


def _cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


BROKEN = {
    "nothing": (b"", "the file is no archive"),
    "text": (b"title: Boats\n" * 100, "the file is no archive"),
    "zeros": (bytes(10_240), "the file is no archive"),
    "a program before": (b"MZ" + zipped(SITE).getvalue(), "the file is no archive"),
    "cut zip": (_cut(zipped(SITE).getvalue()), "the archive is damaged"),
    "cut tar": (tarred(SITE).getvalue()[:1536], "the archive breaks off"),
    "cut tar within": (tarred(SITE).getvalue()[:700], "the archive breaks off"),
    "cut gzip": (_cut(gzip.compress(tarred(SITE).getvalue())), "the archive breaks off"),
    "cut end of gzip": (gzip.compress(tarred(SITE).getvalue())[:-4], "the archive breaks off"),
    "gzip of text": (gzip.compress(b"text" * 1000), "the archive is damaged"),
    "two tars": (tarred(SITE).getvalue() * 2, "something follows the end of the archive"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    data, reason = BROKEN[name]
    assert reason in refused(io.BytesIO(data), tmp_path).message


def test_an_xz_that_wants_much_memory_is_refused(tmp_path: Path) -> None:
    # Not at the head of the module: whoever collects the tests would need a gigabyte, and a second.
    data = lzma.compress(b"x", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])
    refusal = refused(io.BytesIO(data), tmp_path)
    assert "the archive is damaged: Memory usage limit exceeded" in refusal.message


def test_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped({"site.yml": b"title: Boats\n"}, method=zipfile.ZIP_STORED).getvalue())
    data[data.index(b"Boats")] ^= 1
    assert "Bad CRC-32" in refused(io.BytesIO(bytes(data)), tmp_path).message


def test_gzips_behind_each_other_are_one_and_garbage_is_not_read(tmp_path: Path) -> None:
    data = tarred(SITE).getvalue()
    archive = gzip.compress(data[:700]) + gzip.compress(data[700:]) + b"\0garbage"
    assert imported(io.BytesIO(archive), tmp_path)[1] == SITE


@pytest.mark.parametrize(("method", "name"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "lzma")])
def test_a_zip_in_which_one_step_unpacks_all_is_refused(tmp_path: Path, method: int, name: str) -> None:
    assert refused(zipped(SITE, method=method), tmp_path).message == f"it is compressed by {name}"


def _patched(data: bytes, flag: int = 0, method: int | None = None) -> io.BytesIO:
    """A zip whose entries have this flag, or this way to be compressed."""
    for head, place in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        at = data.find(head)
        while at >= 0:
            old = struct.unpack_from("<HH", data, at + place)
            new = struct.pack("<HH", old[0] | flag, old[1] if method is None else method)
            data = data[: at + place] + new + data[at + place + 4 :]
            at = data.find(head, at + 4)
    return io.BytesIO(data)


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    refusal = refused(_patched(zipped(SITE).getvalue(), flag=1), tmp_path)
    assert (refusal.message, refusal.hint) == ("it is encrypted", "pack it without a password")


@pytest.mark.parametrize(("method", "name"), [(9, "deflate64"), (99, "method 99")])
def test_unknown_compression_is_refused(tmp_path: Path, method: int, name: str) -> None:
    refusal = refused(_patched(zipped(SITE).getvalue(), method=method), tmp_path)
    assert refusal.message == f"it is compressed by {name}"


def _overlapping(files: Mapping[str, bytes]) -> io.BytesIO:
    """A zip in which all entries share the content of one."""
    data, crc = b"a" * 1000, zlib.crc32(b"a" * 1000)
    head = struct.pack("<5H3L", 20, 0, 0, 0, 33, crc, len(data), len(data))
    first = b"PK\3\4" + head + struct.pack("<HH", 10, 0) + b"docs/0.png" + data
    directory = b"".join(
        b"PK\1\2"
        + struct.pack("<H", 20)
        + head
        + struct.pack("<5H2L", len(name), 0, 0, 0, 0, 0, 0)
        + name.encode()
        for name in files
    )
    return io.BytesIO(first + directory + end_of_zip(len(files), len(directory), len(first)))


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    names = [f"docs/{n}.png" for n in range(9)]
    assert refused(_overlapping(dict.fromkeys(names, b"")), tmp_path).message == (
        "it overlaps with another entry: that is an attack"
    )


def test_bytes_beyond_what_an_entry_says_are_refused(tmp_path: Path) -> None:
    data = zipped({"site.yml": b"a" * 5000}).getvalue()
    small = data.replace(struct.pack("<L", 5000), struct.pack("<L", 10))
    assert small != data
    assert "Bad CRC-32" in refused(io.BytesIO(small), tmp_path).message


LIMITS = [
    ({"pages": 2}, {f"docs/{n}.md": b"" for n in range(3)}, "the site has more than 2 pages"),
    ({"files": 4}, {f"static/{n}": b"" for n in range(3)}, "the site has more than 4 files"),
    ({"folders": 4}, {f"docs/{n}/a.md": b"" for n in range(3)}, "the site has more than 4 folders"),
    ({"entries": 5}, {f"node_modules/{n}": b"" for n in range(3)}, "too many entries|more than 5 entries"),
    ({"file_bytes": 99}, {"static/a": b"a" * 100}, "it has more than 99 bytes"),
    ({"total_bytes": 250}, {f"static/{n}": b"a" * 99 for n in range(3)}, "the site has more than 250 bytes"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("limits", "files", "reason"), LIMITS)
def test_each_limit_holds(
    tmp_path: Path, kind: str, limits: dict[str, int], files: dict[str, bytes], reason: str
) -> None:
    refusal = refused(KINDS[kind](SITE | files), tmp_path, **limits)
    assert any(part in refusal.message for part in reason.split("|"))
    several = {name: number + 1 for name, number in limits.items()}
    if "total_bytes" not in several:
        assert imported(KINDS[kind](SITE | dict.fromkeys([*files][:-1], b"")), tmp_path, **several)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_out_counts_for_what_is_unpacked(tmp_path: Path, kind: str) -> None:
    archive = KINDS[kind](SITE | {"node_modules/a": random.Random(1).randbytes(100_000)})
    if kind == "zip":
        imported(archive, tmp_path, unpacked_bytes=50_000)
    else:
        assert "more than 50,000 bytes" in refused(archive, tmp_path, unpacked_bytes=50_000).message


def test_drawings_that_are_looked_through_in_vain_count_too(tmp_path: Path) -> None:
    archive = zipped(SITE | {f"docs/{n}.svg": b"<a" + b" " * 40_000 for n in range(3)})
    assert refused(archive, tmp_path, unpacked_bytes=100_000).message == (
        "more than 100,000 bytes, with those that are left out"
    )


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.bz2", "tar.xz"])
def test_what_grows_too_much_is_refused(tmp_path: Path, kind: str) -> None:
    refusal = refused(KINDS[kind](SITE | {"static/a": bytes(80 << 20)}), tmp_path)
    assert refusal.message == "more than 200 times as large when it is unpacked: that is an attack"


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_archive_is_refused_or_read_and_nothing_else(tmp_path: Path, kind: str) -> None:
    chance = random.Random(kind)
    whole = KINDS[kind](SITE | {"docs/a.md": b"a" * 3000}).getvalue()
    for number in range(300):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        with suppress(ArchiveRefused):
            import_archive(io.BytesIO(bytes(data)), tmp_path / f"site{number}")
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith("site")]
