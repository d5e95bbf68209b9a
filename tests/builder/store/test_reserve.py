"""The room that is kept for removing: who may not take it, and who waits for it.

What a disk says that is really full, `tests/server/durable/test_full.py` knows; here it only says so.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from builder.errors import StorageError
from builder.store import ChangeAnnouncement, ContentStore, Replacement, reserve
from builder.store.failures import FULL
from tests.builder.trees import make
from tests.waiting import PATIENCE, until

OLD = {"docs/a.md": "old", "docs/b.md": "b"}
TEN = b"ten bytes."


class Disk:
    """A keeper on a disk that is full, until it is not."""

    def __init__(self, number: int = errno.ENOSPC) -> None:
        self.number = number
        self.refused = 0

    def settle(self, root: int, state: int) -> None:
        """Nothing."""

    def before(self, state: int, change: ChangeAnnouncement) -> None:
        """Refuse."""
        if self.number:
            self.refused += 1
            raise OSError(self.number, os.strerror(self.number))

    def done(self, root: int, state: int) -> None:
        """Nothing."""

    def withdrawn(self, state: int) -> None:
        """Nothing."""


def site_of(folder: Path) -> Path:
    """A site in which something has been written, and whose reserve is all used."""
    site = make(folder, OLD)
    with ContentStore(site) as store:
        store.write("docs/b", "md", "b")
    (site / ".twinpress/state" / reserve.NAME).touch()
    return site


def content(site: Path) -> dict[str, str]:
    found = (path for path in site.rglob("*") if path.is_file() and ".twinpress" not in path.parts)
    return {path.relative_to(site).as_posix(): path.read_text() for path in found}


WRITES: dict[str, tuple[int, Callable[[ContentStore], object]]] = {
    "a page": (10, lambda store: store.write("docs/a", "md", "ten bytes.")),
    "a page and its twin": (10, lambda store: store.write("docs/a", "md", "ten", " bytes.")),
    "a page in a new folder": (10, lambda store: store.write("docs/x/y", "md", "ten bytes.")),
    "a category": (0, lambda store: store.set_category("docs/x", {"label": "X"})),
    "a file": (10, lambda store: store.replace_file("static/a.txt", TEN, expected=None)),
    "a restore": (10, lambda store: store.put_back(Replacement({}, {"docs/n.md": TEN, "docs/a.md": None}))),
}


@pytest.mark.parametrize("name", WRITES)
def test_nothing_that_is_written_takes_room_that_is_owed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    site = site_of(tmp_path)
    size, write = WRITES[name]
    free = reserve.SIZE + 3 * size
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=free, f_blocks=2**40, f_frsize=1))
    with ContentStore(site) as store:
        free -= 1
        with pytest.raises(StorageError) as refused:
            write(store)
        assert refused.value.hint == FULL
        assert content(site) == OLD
        store.put_back(Replacement({}, {"docs/b.md": None}))
        store.delete("docs/a")
        assert content(site) == {}
        make(site, OLD)
        free += 1
        write(store)
        assert content(site) != OLD


@pytest.fixture
def lent(tmp_path: Path) -> Iterator[Callable[[], None]]:
    """A site whose reserve somebody uses, until the function is called that this gives."""
    site_of(tmp_path)
    state = os.open(tmp_path / ".twinpress/state", os.O_RDONLY)
    lending = reserve.lent(state)
    lending.__enter__()
    ended: list[bool] = []

    def end() -> None:
        if not ended:
            ended.append(True)
            lending.__exit__(None, None, None)

    yield end
    end()
    os.close(state)


def test_what_makes_room_waits_for_who_uses_the_reserve(tmp_path: Path, lent: Callable[[], None]) -> None:
    disk = Disk()
    with ContentStore(tmp_path, disk, PATIENCE) as store:
        removing = threading.Thread(target=store.delete, args=["docs/a"])
        removing.start()
        until(lambda: disk.refused > 2)
        assert content(tmp_path) == OLD
        disk.number = 0
        lent()
        removing.join(PATIENCE)
    assert content(tmp_path) == {"docs/b.md": "b"}


@pytest.mark.usefixtures("lent")
def test_it_does_not_wait_for_ever(tmp_path: Path) -> None:
    with ContentStore(tmp_path, Disk(), 0.1) as store, pytest.raises(StorageError) as refused:
        store.delete("docs/a")
    assert isinstance(refused.value.__cause__, reserve.Lent)
    assert refused.value.hint == FULL
    assert content(tmp_path) == OLD


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES])
@pytest.mark.usefixtures("lent")
def test_what_no_room_would_help_is_told_at_once(tmp_path: Path, number: int) -> None:
    disk = Disk(number)
    with ContentStore(tmp_path, disk, PATIENCE) as store, pytest.raises(StorageError):
        store.delete("docs/a")
    assert disk.refused == 1


def test_where_nobody_uses_it_and_nothing_is_left_it_is_told_at_once(tmp_path: Path) -> None:
    site, disk = site_of(tmp_path), Disk()
    with ContentStore(site, disk, PATIENCE) as store, pytest.raises(StorageError, match="No space"):
        store.delete("docs/a")
    assert disk.refused == 1


def test_its_room_is_given_back_for_a_second_try_and_taken_again(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    file = site / ".twinpress/state" / reserve.NAME
    state = os.open(site / ".twinpress/state", os.O_RDONLY)
    assert reserve.keep(state) == reserve.SIZE

    class Helped(Disk):
        def before(self, state: int, change: ChangeAnnouncement) -> None:
            if file.stat().st_size == 0:
                self.number = 0
            super().before(state, change)

    disk = Helped()
    with ContentStore(site, disk) as store:
        store.delete("docs/a")
    assert (disk.refused, content(site)) == (1, {"docs/b.md": "b"})
    assert (file.stat().st_size, reserve.is_whole(state)) == (reserve.SIZE, True)
    os.close(state)


@pytest.mark.parametrize(
    ("disk", "free", "expected"),
    [
        (2**40, reserve.PLENTY * reserve.SIZE, reserve.SIZE),
        (2**40, reserve.PLENTY * reserve.SIZE - 1, 0),
        (12 * 2**20, 10 * 2**20, 2**20),
        (12 * 2**20, 10 * 2**20 - 1, 0),
    ],
)
def test_a_small_disk_has_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: int, free: int, expected: int
) -> None:
    room = SimpleNamespace(f_bavail=free, f_blocks=disk, f_frsize=1)
    monkeypatch.setattr(os, "statvfs", lambda _: room)
    state = os.open(tmp_path, os.O_RDONLY)
    assert (reserve.keep(state), reserve.is_whole(state)) == (expected, expected > 0)
    os.close(state)
