"""Bytes that are put away are there for as long as somebody has a use for them."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from builder.preview.page_spool import InMemory, Spool, Spooled


def files() -> int:
    """Count the open files without a name."""
    found = [entry.readlink() for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
    return sum("(deleted)" in str(name) for name in found)


def test_what_is_put_away_comes_back(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    first, second = spool.add(b"first"), spool.add(b"second")
    assert (first.read(), second.read()) == (b"first", b"second")
    assert (second.read(1, 3), second.read(4)) == (b"eco", b"nd")


def test_files_go_when_nothing_in_them_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.preview.page_spool.SIZE", 10)
    before, spool = files(), Spool(tmp_path)
    held = [spool.add(bytes([number]) * 6) for number in range(8)]
    assert files() == before + 4
    del held[:6]
    assert files() == before + 1
    assert held[0].read() == bytes([6]) * 6
    assert list(tmp_path.iterdir()) == []


def test_what_the_disk_does_not_take_stays_in_memory(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    spool = Spool(tmp_path)
    spool.add(b"x" * 90)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        kept = spool.add(b"y" * 90)
        assert isinstance(kept, InMemory)
        assert (kept.read(), kept.read(2, 3)) == (b"y" * 90, b"yyy")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    after = spool.add(b"z" * 5)
    assert isinstance(after, Spooled)
    assert after.read() == b"z" * 5
