"""Readers of sites in a bucket: what is asked of it, and what they have while it is away."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.releases.release_store import ReleaseStore
from server.releases.site_stores import SiteStores, service_stores
from tests.server.commands import twinpress
from tests.server.releases.small_s3 import ADDRESS, SmallS3, small_s3
from tests.server.site_serving.asking import Readers, serving
from tests.server.site_serving.published import HOST, SITE, mount_in, publish
from tests.waiting import until

FILES = {"index.html": b"start", "docs/a.html": b"page a", "docs/b.html": b"page b"}
LARGE = bytes(range(256)) * 4096
BOOK = b"".join(b"Line %d of all pages: %x\n" % (number, number**9) for number in range(20_000))
"""A text that is kept in pieces."""


@pytest.fixture
def s3() -> Iterator[SmallS3]:
    with small_s3() as running:
        yield running


@pytest.fixture
def stores(s3: SmallS3) -> SiteStores:
    """The stores of a service with one site, which is published."""
    stores = service_stores(ADDRESS, Path(), "service_1")
    mount_in(stores.shared(), {HOST: SITE})
    publish(ReleaseStore(stores.site(SITE)), FILES | {"docs/clip.mp4": LARGE, "llms-full.txt": BOOK})
    return stores


@pytest.fixture
def readers(stores: SiteStores) -> Iterator[Readers]:
    with serving("--releases", ADDRESS) as running:
        yield running


def test_readers_have_a_release_as_soon_as_a_look_shows_it(readers: Readers, stores: SiteStores) -> None:
    assert readers.get("/docs/a").body == b"page a"
    assert readers.get("/docs/clip.mp4").body == LARGE
    assert readers.get("/docs/clip.mp4", Range="bytes=600000-600003").body == LARGE[600000:600004]
    publish(ReleaseStore(stores.site(SITE)), {"docs/a.html": b"page a, again"})
    until(lambda: readers.get("/docs/a").body == b"page a, again", 10)
    assert readers.get("/docs/b").status == 404


def test_a_text_in_pieces_is_read_in_few_rounds(readers: Readers, s3: SmallS3) -> None:
    assert readers.get("/llms-full.txt").body == BOOK
    zipped = readers.get("/llms-full.txt", Accept_Encoding="gzip")
    assert gzip.decompress(zipped.body) == BOOK
    assert readers.get("/llms-full.txt", Range="bytes=600000-600003").body == BOOK[600000:600004]
    asked = len(s3.requests)
    assert readers.get("/llms-full.txt").body == BOOK
    gets = [each for each in s3.requests[asked:] if each.startswith("GET")]
    assert len(gets) < len(BOOK) / 25_000


def test_a_site_is_looked_at_once_a_second(readers: Readers, s3: SmallS3) -> None:
    readers.get("/docs/a")
    asked, began = len(s3.requests), time.monotonic()
    for _ in range(100):
        assert readers.get("/docs/a").status == 200
    seconds = time.monotonic() - began
    assert len(s3.requests) - asked <= 2 * (seconds + 1)
    assert set(s3.requests[asked:]) <= {"HEAD twinpress/hosts.json", f"HEAD twinpress/sites/{SITE}/pointer"}


@pytest.mark.parametrize("fault", [{"status": 503}, {"latency": 12.0}], ids=["503", "slow"])
def test_while_the_store_is_away_readers_have_what_is_in_memory(
    readers: Readers, s3: SmallS3, fault: dict[str, float]
) -> None:
    assert readers.get("/docs/a").status == 200
    for name, value in fault.items():
        setattr(s3, name, value)
    until(
        lambda: readers.get("/docs/a").status == 200 and readers.told("is away"),
        last=lambda: readers.process.lines,
    )
    for _ in range(20):
        assert readers.get("/docs/a").body == b"page a"
        answer = readers.get("/docs/b")
        assert answer.status == 503
        assert "retry-after" in answer.headers
    assert len(readers.told("is away")) == 1
    s3.status, s3.latency = 0, 0
    until(lambda: readers.get("/docs/b").status == 200)
    until(lambda: readers.get("/docs/a").status == 200 and readers.told("answers again"))
    assert len(readers.told("answers again")) == 1


@pytest.mark.parametrize("lost", ["hosts.json", "/pointer"])
def test_what_is_lost_for_a_while_is_no_site_that_is_gone(
    readers: Readers, s3: SmallS3, stores: SiteStores, lost: str
) -> None:
    assert readers.get("/docs/a").status == 200
    s3.hidden = lost
    until(lambda: readers.get("/docs/a").status and readers.told("gone"), last=lambda: readers.process.lines)
    for _ in range(20):
        assert readers.get("/docs/a").status == (200 if lost == "hosts.json" else 503)
    s3.hidden = "\0"
    until(lambda: readers.get("/docs/a").status == 200)
    ReleaseStore(stores.site(SITE)).unpublish(2000)
    until(lambda: readers.get("/docs/a").status == 404)


def test_sites_are_served_when_the_store_comes_after_them(s3: SmallS3, stores: SiteStores) -> None:
    s3.status = 503
    with serving("--releases", ADDRESS) as readers:
        assert readers.get("/docs/a").status == 503
        s3.status = 0
        until(lambda: readers.get("/docs/a").status == 200)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "there are no releases to serve"),
        (("--releases", "docs/here"), "is no address of a bucket"),
    ],
)
def test_what_cannot_be_served_is_told(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    result = twinpress("sites", "--port", "0", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert said in result.stderr + result.stdout
