"""A backup of which nothing is believed: whatever its tar says, nothing is written outside, nothing stays."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from server.backup.create_backup import create_backup
from server.backup.plain_tar import BadBackup
from server.backup.restore_backup import restore_backup
from server.control.errors import DatabaseError, WrongMasterKey
from server.control.sqlite.data_folder import open_data

Member = tuple[str, bytes, dict[str, Any]]
SITE = "sites/one.tar"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A good backup with one site."""
    data = tmp_path / "data"
    open_data(data).close()
    (data / "sites/one/docs").mkdir(parents=True)
    (data / "sites/one/docs/a.md").write_text("a")
    create_backup(data, tmp_path / "backup.tar")
    return tmp_path / "backup.tar"


def tarred(members: list[Member], form: int = tarfile.GNU_FORMAT) -> bytes:
    written = BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=form) as tar:
        for name, content, details in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for field, value in details.items():
                setattr(info, field, value)
            tar.addfile(info, BytesIO(content))
    return written.getvalue()


def parts_of(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        return {each.name: tar.extractfile(each).read() for each in tar}  # type: ignore[union-attr]


def backup(content: dict[str, bytes], **manifest: Any) -> bytes:
    """A backup of these parts, whose manifest says the truth about them, and what is given."""
    parts = {name: data for name, data in content.items() if name != "manifest.json"}
    said = [
        {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in parts.items()
    ]
    about = {"format": 1, "twinpress": "0.1.0", "created_at": "now", "parts": said, "failed": []} | manifest
    text = json.dumps(about).encode()
    return tarred([*((name, data, {}) for name, data in parts.items()), ("manifest.json", text, {})])


def site_with(*members: Member) -> Callable[[dict[str, bytes]], bytes]:
    return lambda parts: backup({**parts, SITE: tarred(list(members))})


def part_named(name: str) -> Callable[[dict[str, bytes]], bytes]:
    return lambda parts: backup({**parts, name: b"x"})


def changed(parts: dict[str, bytes]) -> bytes:
    whole = backup(parts)
    at = whole.index(b"SQLite format 3")
    return whole[:at] + b"sQLite" + whole[at + 6 :]


def with_a_trigger(parts: dict[str, bytes]) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(parts["control.sqlite3"])
    connection.execute("CREATE TRIGGER t AFTER INSERT ON accounts BEGIN SELECT 1; END")
    return backup({**parts, "control.sqlite3": connection.serialize()})


def newer(parts: dict[str, bytes]) -> bytes:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(parts["control.sqlite3"])
    connection.execute("INSERT INTO migrations VALUES (9999, 'of tomorrow', 1)")
    return backup({**parts, "control.sqlite3": connection.serialize()})


LINK = {"type": tarfile.SYMTYPE, "linkname": "/etc"}
HARD = {"type": tarfile.LNKTYPE, "linkname": "docs/a.md"}
CASES: dict[str, tuple[Callable[[dict[str, bytes]], bytes], str]] = {
    "no tar": (lambda _: b"PGDMP" * 1000, "no backup"),
    "nothing": (lambda _: b"", "cut off"),
    "cut off": (lambda parts: backup(parts)[:5000], "cut off"),
    "no manifest": (lambda _: tarred([("control.sqlite3", b"", {})]), "no manifest"),
    "manifest is no json": (lambda _: tarred([("manifest.json", b"{", {})]), "manifest"),
    "another form": (lambda parts: backup(parts, format=2, twinpress="9.0"), "9.0"),
    "more than the manifest says": (lambda parts: backup(parts, parts=[]), "manifest"),
    "other bytes": (changed, "SHA-256"),
    "a part above": (part_named("../evil"), "leads elsewhere"),
    "a part from the root": (part_named("/etc/evil"), "leads elsewhere"),
    "a part of another name": (part_named("master.keys"), "no backup has"),
    "a site above": (part_named("sites/...tar"), "no backup has"),
    "a dump of another name": (part_named("databases/postgres.dump"), "no backup has"),
    "a file above": (site_with(("../evil", b"x", {})), "leads elsewhere"),
    "a file deep above": (site_with(("docs/../../../evil", b"x", {})), "leads elsewhere"),
    "a file from the root": (site_with(("/tmp/evil", b"x", {})), "leads elsewhere"),
    "a link": (site_with(("docs", b"", LINK), ("docs/a", b"x", {})), "neither file nor folder"),
    "a hard link": (site_with(("docs/b.md", b"", HARD)), "neither file nor folder"),
    "a device": (site_with(("null", b"", {"type": tarfile.CHRTYPE})), "neither file nor folder"),
    "a pipe": (site_with(("pipe", b"", {"type": tarfile.FIFOTYPE})), "neither file nor folder"),
    "a name twice": (site_with(("a", b"1", {}), ("a", b"2", {})), "twice"),
    "a long name above": (site_with(("../" + "x" * 200, b"x", {})), "leads elsewhere"),
    "headers of another kind": (
        lambda parts: backup({**parts, SITE: tarred([("ä" * 200, b"", {})], tarfile.PAX_FORMAT)}),
        "neither file nor folder",
    ),
    "a name without end": (
        lambda parts: backup({**parts, SITE: tarred([("x" * 100_000, b"", {})])}),
        "neither file nor folder",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_backup_is_refused_and_leaves_nothing(file: Path, tmp_path: Path, case: str) -> None:
    make, words = CASES[case]
    file.write_bytes(make(parts_of(file)))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadBackup, match=words) as refused:
        restore_backup(file, tmp_path / "new")
    assert refused.value.hint
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(("make", "words"), [(with_a_trigger, "triggers"), (newer, "newer version")])
def test_a_database_of_somebody_else_is_refused(
    file: Path, tmp_path: Path, make: Callable[[dict[str, bytes]], bytes], words: str
) -> None:
    file.write_bytes(make(parts_of(file)))
    with pytest.raises(DatabaseError, match=words):
        restore_backup(file, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_same_backup_written_by_the_test_is_good(file: Path, tmp_path: Path) -> None:
    file.write_bytes(backup(parts_of(file)))
    with pytest.raises(WrongMasterKey, match="not here"):
        restore_backup(file, tmp_path / "new")
    restore_backup(file, tmp_path / "new", master_keys=tmp_path / "data/master.keys")
    assert (tmp_path / "new/sites/one/docs/a.md").read_text() == "a"
