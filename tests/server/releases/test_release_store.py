"""Releases: numbered, whole or not there, with one pointer that says which readers have."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest

from server.releases.folder_store import FolderStore
from server.releases.live_pointer import GRACE, HASHED, FormerRelease
from server.releases.packed_object import pack
from server.releases.release import DamagedRelease, ReleasedFile, ReleaseNotFound, ReleaseRecord
from server.releases.release_store import ReleaseStore
from server.releases.stored_object import object_key
from server.site_serving.live_site import load


class Stopped(Exception):
    """The process is killed here."""


def _store(folder: Path, stop: str = "") -> ReleaseStore:
    def step(name: str) -> None:
        if name == stop:
            raise Stopped

    return ReleaseStore(FolderStore(folder), step)


def _kept(store: ReleaseStore, files: dict[str, bytes]) -> dict[str, ReleasedFile]:
    found = dict[str, ReleasedFile]()
    for path, data in files.items():
        digest = hashlib.sha256(data).digest()
        store.keep(digest, pack(data, compress=False))
        found[path] = ReleasedFile(digest, len(data))
    return found


def _add(
    store: ReleaseStore, files: dict[str, bytes], now: int = 1000, sources: dict[str, bytes] | None = None
) -> int:
    """Add a release with these files, as a build gives them."""
    found = _kept(store, files)
    record = ReleaseRecord(
        number=store.next_number(),
        created_at=now,
        by="account",
        plan="free",
        version="1",
        pages=1,
        files=len(found),
        size=sum(map(len, files.values())),
    )
    store.add(record, found, _kept(store, sources or {}))
    return record.number


def _objects(folder: Path) -> int:
    return sum(path.is_file() for path in (folder / "objects").rglob("*"))


def test_readers_have_the_newest_release(tmp_path: Path) -> None:
    store = _store(tmp_path)
    assert (store.pointer().live, store.numbers(), store.next_number()) == (0, [], 1)
    assert _add(store, {"index.html": b"one"}) == 1
    assert _add(store, {"index.html": b"two", "a.html": b"a"}) == 2
    assert (store.pointer().live, store.numbers()) == (2, [2, 1])
    assert sorted(store.files(2)) == ["a.html", "index.html"]
    assert store.get(1).size == 3


def test_files_are_kept_once(tmp_path: Path) -> None:
    store = _store(tmp_path)
    for number in range(10):
        _add(store, {"a.html": b"same", "b.html": b"same", "c.html": b"%d" % number})
    assert _objects(tmp_path) == 11


@pytest.mark.parametrize(
    ("stop", "live", "numbers"),
    [("objects", 1, [1]), ("files", 1, [1]), ("about", 1, [2, 1]), ("pointer", 2, [2, 1])],
)
def test_a_killed_process_leaves_the_old_release_or_the_new_one(
    tmp_path: Path, stop: str, live: int, numbers: list[int]
) -> None:
    _add(_store(tmp_path), {"a.html": b"old"})
    with pytest.raises(Stopped):
        _add(_store(tmp_path, stop), {"a.html": b"new"})
    store = _store(tmp_path)
    assert (store.pointer().live, store.numbers()) == (live, numbers)
    assert store.has(store.files(live)["a.html"].digest)
    assert _add(store, {"a.html": b"newer"}) == (2 if stop == "objects" else 3)
    assert store.pointer().live == store.latest()
    store.sweep(1)
    readable = {store.latest(), *(each.number for each in store.pointer().former[:1])}
    assert store.numbers() == sorted(readable, reverse=True)


def test_a_roll_back_stays_until_its_owner_returns(tmp_path: Path) -> None:
    store = _store(tmp_path)
    for text in (b"one", b"two"):
        _add(store, {"a.html": text})
    assert store.roll_back(1, 2000).live == 1
    _add(store, {"a.html": b"three"})
    assert (store.pointer().live, store.pointer().latest, store.pointer().pinned) == (1, 3, True)
    assert (store.return_to_latest(3000).live, store.pointer().pinned) == (3, False)
    _add(store, {"a.html": b"four"})
    assert store.pointer().live == 4
    with pytest.raises(ReleaseNotFound):
        store.roll_back(9, 4000)


def test_a_site_that_is_offline_comes_back_with_the_next_release(tmp_path: Path) -> None:
    store = _store(tmp_path)
    with pytest.raises(ReleaseNotFound):
        store.return_to_latest(1000)
    _add(store, {"a.html": b"one"})
    _add(store, {"a.html": b"two"})
    pointer = store.unpublish(2000)
    assert (pointer.live, pointer.offline, pointer.former) == (0, True, ())
    assert _add(store, {"a.html": b"three"}) == 3
    assert (store.pointer().live, store.pointer().offline) == (3, False)


def test_styles_of_former_releases_are_answered_for_a_day(tmp_path: Path) -> None:
    store = _store(tmp_path)
    for now in (1000, 2000, 3000):
        _add(store, {"a.html": b"%d" % now}, now)
    assert store.pointer().former == (FormerRelease(2, 3000 + GRACE), FormerRelease(1, 2000 + GRACE))
    _add(store, {"a.html": b"later"}, 2500 + GRACE)
    assert [each.number for each in store.pointer().former] == [3, 2]


def test_a_sweep_leaves_what_readers_may_ask_for(tmp_path: Path) -> None:
    store = _store(tmp_path)
    for number in range(1, 6):
        _add(store, {"a.html": b"%d" % number, "b.html": b"same"}, 1000 + number * 2 * GRACE)
    store.roll_back(2, 20 * GRACE)
    # 2 is live, 5 was live until now, and the two newest stay.
    assert store.sweep(2) == 2
    assert store.numbers() == [5, 4, 2]
    assert _objects(tmp_path) == 4
    assert store.sweep(2) == 0
    assert store.next_number() == 6


def test_of_releases_that_were_live_today_styles_alone_stay(tmp_path: Path) -> None:
    """A site that publishes every few minutes has no more releases to pay for than others."""
    store, style, now = _store(tmp_path), "_tp/tp.0123abcd4%d.css", int(time.time())
    for number in range(1, 8):
        _add(store, {"a.html": b"%d" % number, style % number: b"style %d" % number}, now)
    for _ in range(2):
        store.sweep(2)
        assert store.numbers() == [7, 6]
        assert [each.number for each in store.pointer().former] == [6, 5, 4, 3, 2, 1]
        live = load(store, None)
        for number in range(1, 8):
            digest = hashlib.sha256(b"style %d" % number).digest()
            assert store.has(digest)
            assert number == 7 or live.find_former(style % number)
            assert store.has(hashlib.sha256(b"%d" % number).digest()) == (number > 5)
        with pytest.raises(ReleaseNotFound):
            store.get(5)
    _add(store, {"a.html": b"later"}, now + 2 * GRACE)
    store.sweep(2)
    assert _objects(tmp_path) == 3
    assert store.next_number() == 9


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    store = _store(tmp_path)
    _add(store, {"a.html": b"one"})
    for file in ("releases/1/files", "releases/1/about", "pointer"):
        (tmp_path / file).write_bytes(b"{")
    for ask in (lambda: store.files(1), lambda: store.get(1), store.pointer):
        with pytest.raises(DamagedRelease):
            ask()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("_tp/tp.0123abcd45.css", True),
        ("_tp/tp.0123abcd45.js", True),
        ("_tp/search/tp.0123abcd45.js", True),
        ("_tp/pages.0123abcd45.json", False),
        ("_tp/search/doc.0123abcd45.json", False),
        ("docs/a.0123abcd45.css", False),
        ("_tp/tp.css", False),
    ],
)
def test_only_styles_and_scripts_named_by_their_content_outlive_a_release(path: str, expected: bool) -> None:
    assert bool(HASHED.fullmatch(path)) is expected


def test_the_name_of_an_object_is_its_digest() -> None:
    assert object_key(bytes(range(32))).startswith("objects/00/0001020304")


def test_a_release_keeps_its_sources_for_as_long_as_it_is_there(tmp_path: Path) -> None:
    store = _store(tmp_path)
    _add(store, {"a.html": b"one"}, sources={"docs/a.md": b"# One", "site.yml": b"title: T"})
    _add(store, {"a.html": b"two"}, sources={"docs/a.md": b"# Two", "site.yml": b"title: T"})
    first = store.sources(1)
    assert sorted(first) == ["docs/a.md", "site.yml"]
    assert store.sweep(2) == 0
    assert store.data(first["docs/a.md"].digest, 5) == b"# One"
    assert store.data(first["docs/a.md"].digest, 4) is None
    store.unpublish(GRACE * 2)
    assert store.sweep(1) == 2
    assert store.data(first["docs/a.md"].digest, 5) is None
    assert store.data(first["site.yml"].digest, 9) == b"title: T"
    with pytest.raises(ReleaseNotFound):
        store.sources(1)
