"""A server whose disk is full comes back with the room that was kept for it."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest

from server.postgres.errors import EngineFull
from server.postgres.run import disk_reserve
from server.postgres.run.embedded import embedded
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from tests.server.postgres.clusters import DEBIAN, PASSWORD, needs_debian, quick
from tests.server.postgres.watching import pid_of
from tests.waiting import until

FULL = """#!/bin/sh
if [ -e {folder}/full ] && [ -e {folder}/postgres/reserve -o -e {folder}/fuller ]; then
    case "$*" in *-D*) echo 'FATAL:  could not write to file "x": No space left on device'; exit 1; esac
fi
exec {bin}/postgres "$@"
"""


def programs(folder: Path) -> Path:
    """Debian's, of which `postgres` finds no room while there is a file `full`, and the reserve beside it."""
    made = folder / "bin"
    made.mkdir()
    for program in DEBIAN.iterdir():
        if program.name != "postgres":
            (made / program.name).symlink_to(program)
    (made / "postgres").write_text(FULL.format(folder=folder, bin=DEBIAN))
    for path in (made, made / "postgres"):
        path.chmod(0o755)
    return made


def test_the_reserve_takes_real_room_where_there_is_plenty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ServerFiles(tmp_path)
    assert disk_reserve.release(place) is False
    with monkeypatch.context() as little:
        little.setattr(disk_reserve, "PLENTY", 1 << 40)
        disk_reserve.keep(place)
        assert not place.reserve.exists()
    for _ in range(2):
        disk_reserve.keep(place)
        about = place.reserve.stat()
        assert (about.st_size, stat.S_IMODE(about.st_mode)) == (disk_reserve.SIZE, 0o600)
        assert about.st_blocks * 512 >= disk_reserve.SIZE
    assert disk_reserve.release(place) is True
    assert not place.reserve.exists()


def test_it_is_needed_where_it_is_gone_and_the_disk_has_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ServerFiles(tmp_path)
    assert not disk_reserve.is_needed(place)
    monkeypatch.setattr(disk_reserve, "LITTLE", 1 << 40)
    assert disk_reserve.is_needed(place)
    disk_reserve.keep(place)
    assert not disk_reserve.is_needed(place)


@needs_debian
def test_a_server_that_finds_no_room_is_started_with_the_reserve_and_opened_when_there_is_room(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    root = folder / "postgres"
    with embedded(root, quick(bin_dir=programs(folder)), PASSWORD) as engine:
        assert engine.ensure() is False
        assert (root / "reserve").exists()
        assert engine.open() is True
        (folder / "full").touch()
        os.kill(pid_of(root), signal.SIGKILL)
        until(lambda: running(ServerFiles(root)) is None)
        with monkeypatch.context() as little:
            little.setattr(disk_reserve, "PLENTY", 1 << 40)
            little.setattr(disk_reserve, "LITTLE", 1 << 40)
            assert engine.ensure() is True
            assert not (root / "reserve").exists()
            assert engine.open() is False
            assert "samerole" not in (root / "data" / "pg_hba.conf").read_text()
        assert "until you make room" in caplog.text
        assert engine.ensure() is False
        assert (root / "reserve").exists(), "it is made again"
        assert engine.open() is True


@needs_debian
def test_a_disk_without_room_even_then_is_an_error_each_time(folder: Path) -> None:
    root = folder / "postgres"
    with embedded(root, quick(bin_dir=programs(folder)), PASSWORD) as engine:
        engine.ensure()
        for name in ("full", "fuller"):
            (folder / name).touch()
        os.kill(pid_of(root), signal.SIGKILL)
        until(lambda: running(ServerFiles(root)) is None)
        for _ in range(2):
            with pytest.raises(EngineFull, match="No space left on device"):
                engine.ensure()
        assert not (root / "reserve").exists()
        (folder / "full").unlink()
        assert engine.ensure() is True
