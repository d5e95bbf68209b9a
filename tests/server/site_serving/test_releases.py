"""Files of releases that readers have: the live one's, styles of former ones for a day, and nothing else."""

from __future__ import annotations

import gzip
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.releases import live_pointer
from server.releases.hosts import HOSTS
from server.releases.packed_object import pack
from server.releases.release_store import POINTER, ReleaseStore
from server.releases.stored_object import object_key
from tests.server.site_serving.asking import Readers, serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.waiting import until

ASSETS = [
    ("_tp/theme.{}.css", True),
    ("_tp/theme.{}.js", True),
    ("_tp/search/index.{}.js", True),
    ("_tp/search/d1.{}.json", False),
    ("_tp/nav/docs.{}.html", False),
    ("{}.css", False),
    ("docs/own.{}.css", False),
]
BIG = b"x" * 2_000_000
OTHER = "reef.localhost"


def _files(number: int) -> dict[str, bytes]:
    name = f"{number:010x}"
    assets = {path.format(name): b"%d" % number for path, _ in ASSETS}
    return {"index.html": b"page %d" % number, f"only{number}.html": b"only", **assets}


@pytest.fixture
def store(tmp_path: Path) -> ReleaseStore:
    return release_store(tmp_path)


@pytest.fixture
def readers(tmp_path: Path, store: ReleaseStore) -> Iterator[Readers]:
    publish(store, {**_files(1), "big.bin": BIG})
    publish(release_store(tmp_path, "site_reef"), {"index.html": b"reef"})
    mount(tmp_path, {HOST: SITE, OTHER: "site_reef"})
    with serving_sites(tmp_path) as running:
        assert running.get("/").body == b"page 1"
        yield running


def _shows(readers: Readers, body: bytes) -> None:
    until(lambda: readers.get("/").body == body, last=lambda: readers.get("/"))


def test_readers_have_what_the_pointer_says(readers, store):
    publish(store, _files(2))
    _shows(readers, b"page 2")
    assert readers.get("/only1").status == 404
    store.roll_back(1, int(time.time()))
    _shows(readers, b"page 1")
    publish(store, _files(3))
    assert readers.get("/only3").status == 404
    store.return_to_latest(int(time.time()))
    _shows(readers, b"page 3")
    store.unpublish(int(time.time()))
    until(lambda: readers.get("/").status == 404)
    for path, _ in ASSETS:
        assert readers.get("/" + path.format(f"{3:010x}")).status == 404


@pytest.mark.parametrize("data", [b"?", b"\xff /new 301\n", None])
def test_damaged_redirects_are_lost_alone_and_told_once(tmp_path, store, data):
    rules = b"/old /new 301\n"
    publish(store, {"index.html": b"page", "old.html": b"old", "_redirects": rules})
    mount(tmp_path, {HOST: SITE})
    key = object_key(hashlib.sha256(rules).digest())
    place = next((tmp_path / "releases").rglob(key.rpartition("/")[2]))
    place.unlink() if data is None else place.write_bytes(pack(data, compress=False))
    with serving_sites(tmp_path) as readers:
        assert [readers.get("/").body for _ in range(3)] == [b"page"] * 3
        assert readers.get("/old").body == b"old"
        publish(store, {"index.html": b"page 2"})
        _shows(readers, b"page 2")
        assert len(readers.told("redirects of the site site_quay cannot be read")) == 1
        readers.process.says("The redirects of the site site_quay can be read again")


def test_a_release_is_live_within_a_tenth_of_a_second(readers, store):
    publish(store, _files(2))
    time.sleep(0.1)
    assert readers.get("/").body == b"page 2"


def test_only_hashed_styles_and_scripts_of_former_releases_stay(readers, store):
    for number in (2, 3):
        publish(store, _files(number))
    _shows(readers, b"page 3")
    for number in (1, 2):
        for path, stays in ASSETS:
            found = readers.get("/" + path.format(f"{number:010x}"))
            assert (found.status == 200) == stays, path
            assert found.headers["x-robots-tag"] == "noindex"
            if stays:
                assert found.headers["cache-control"].endswith("immutable")
                assert found.body == b"%d" % number
        assert readers.get(f"/only{number}").status == 404


def test_a_former_release_is_over_after_a_day(readers, store):
    publish(store, _files(2), now=int(time.time()) - live_pointer.GRACE - 10)
    _shows(readers, b"page 2")
    assert readers.get(f"/_tp/theme.{1:010x}.css").status == 404
    assert readers.get(f"/_tp/theme.{2:010x}.css").status == 200


def test_last_modified_is_when_readers_got_the_release(readers, store):
    publish(store, {"index.html": b"page 2"}, now=1_700_000_000)
    _shows(readers, b"page 2")
    assert readers.get("/").headers["last-modified"] == "Tue, 14 Nov 2023 22:13:20 GMT"


def _damaged(file: Path) -> bytes:
    data = file.read_bytes()
    file.write_bytes(b"?" * 30 + data[30:])
    return data


@pytest.mark.parametrize("part", [POINTER, "releases/2/files"])
def test_a_damaged_site_is_unavailable_alone_and_told_once(readers, store, tmp_path, part):
    publish(store, _files(2))
    damaged = tmp_path / "releases" / SITE / part
    whole = _damaged(damaged)
    until(lambda: readers.get("/").status == 503)
    found = readers.get("/")
    assert found.headers["retry-after"]
    assert found.headers["cache-control"] == "no-store"
    assert readers.get("/", OTHER).body == b"reef"
    for _ in range(5):
        readers.get("/")
    until(lambda: readers.told(f"{SITE} cannot be read"))
    assert len(readers.told(f"{SITE} cannot be read")) == 1, readers.process.lines
    damaged.write_bytes(whole)
    _shows(readers, b"page 2")
    until(lambda: readers.told("can be read again"))


@pytest.mark.parametrize("missing", [True, False])
def test_a_damaged_object_is_an_error_of_its_file_alone(readers, store, tmp_path, missing):
    digest = hashlib.sha256(b"page 2").digest()
    publish(store, _files(2))
    damaged = tmp_path / "releases" / SITE / object_key(digest)
    if missing:
        damaged.unlink()
    else:
        data = damaged.read_bytes()
        damaged.write_bytes(data[:-1] + b"?")
    until(lambda: readers.get("/").status == 500)
    assert readers.get("/").status == 500
    assert readers.get("/only2").body == b"only"
    until(lambda: readers.told("damaged file"))
    assert len(readers.told("damaged file")) == 1


def test_a_large_object_that_is_cut_off_ends_the_connection(readers, tmp_path):
    file = tmp_path / "releases" / SITE / object_key(hashlib.sha256(BIG).digest())
    assert readers.get("/big.bin").body == BIG
    with file.open("r+b") as opened:
        opened.truncate(1_000_000)
    with pytest.raises(Exception, match="IncompleteRead"):
        readers.get("/big.bin")


def test_a_text_in_pieces_is_answered_as_any_other(readers, store, tmp_path):
    text = b"".join(b"Line %d of all pages: %x\n" % (number, number**9) for number in range(20_000))
    publish(store, {"llms-full.txt": text})
    until(lambda: readers.get("/llms-full.txt").status == 200)
    plain = readers.get("/llms-full.txt", Accept_Encoding="br")
    assert (plain.body, plain.headers.get("content-encoding")) == (text, None)
    zipped = readers.get("/llms-full.txt", Accept_Encoding="br, gzip")
    assert (gzip.decompress(zipped.body), zipped.headers["content-encoding"]) == (text, "gzip")
    assert plain.headers["vary"] == zipped.headers["vary"] == "Accept-Encoding"
    assert plain.headers["etag"] != zipped.headers["etag"]
    assert readers.get("/llms-full.txt", If_None_Match=plain.headers["etag"]).status == 304
    part = readers.get("/llms-full.txt", Range="bytes=100000-700000")
    assert (part.status, part.body) == (206, text[100_000:700_001])
    zipped_part = readers.get("/llms-full.txt", Accept_Encoding="gzip", Range="bytes=-40")
    assert zipped_part.body == zipped.body[-40:]
    folder = tmp_path / "releases" / SITE / "pieces"
    piece = max(each for each in folder.rglob("*") if each.is_file())
    piece.write_bytes(piece.read_bytes()[:20_000])
    with pytest.raises(Exception, match="IncompleteRead"):
        readers.get("/llms-full.txt")


def test_hosts_change_while_it_runs(readers, tmp_path):
    mount(tmp_path, {"new.localhost": SITE})
    until(lambda: readers.get("/", "new.localhost").status == 200)
    assert readers.get("/").status == 404
    (tmp_path / "releases" / HOSTS).write_text("{")
    until(lambda: readers.get("/", "new.localhost").status == 200 and readers.told("hosts of sites cannot"))
    assert len(readers.told("hosts of sites cannot be read")) == 1


@pytest.mark.parametrize(
    ("text", "status"), [(None, 404), ("{", 503), ('{"hosts": {"A": {"site": "a"}}}', 503)]
)
def test_it_starts_without_hosts_that_can_be_read(tmp_path, text, status):
    if text is not None:
        (tmp_path / "releases").mkdir()
        (tmp_path / "releases" / HOSTS).write_text(text)
    with serving_sites(tmp_path) as readers:
        assert readers.get("/").status == status
        mount(tmp_path, {HOST: SITE})
        publish(release_store(tmp_path), {"index.html": b"page"})
        _shows(readers, b"page")
