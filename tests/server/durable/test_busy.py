"""While somebody else keeps the site's lock, changes are refused soon and in form, and nothing hangs."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.authoring.client import Client
from tests.server.durable.servers import make_key, server
from tests.sites import write_site
from tests.time_bounds import in_time

SOON = 18.0
"""Seconds, on a machine that has other things to do; one after another they would take twenty-four."""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path, {"site.yml": "title: T\n", "docs/a.md": "# A\n"})


@contextmanager
def held(site: Path) -> Iterator[None]:
    """Have the lock of the site, as a long `undo` in another process has."""
    with (site / ".twinpress/state/lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def put(client: Client, number: int) -> tuple[int, str, int]:
    """Write a page; the status, the code and how long to wait."""
    reply = client.put({"path": f"docs/new{number}", "body": "Text.\n"})
    return reply.status, reply.code, int(reply.headers["retry-after"])


def test_changes_are_refused_soon_and_what_is_read_is_read(site: Path) -> None:
    with server(site, make_key(site)) as client, ThreadPoolExecutor(10) as threads:
        client.write("docs/first")
        with held(site), in_time(SOON):
            puts = [threads.submit(put, client, number) for number in range(10)]
            assert client.page("docs/a").status == 200
            assert {each.result() for each in puts} == {(503, "TOO_BUSY", 1)}
            assert client.delete("docs/a").code == "TOO_BUSY"
            assert client.category({"path": "docs/x", "label": "X"}).code == "TOO_BUSY"
        assert [page["path"] for page in client.site().data["pages"]] == ["docs/a", "docs/first"]
        client.write("docs/new0")


def test_the_server_can_be_stopped_and_who_waits_is_answered(site: Path) -> None:
    with server(site, make_key(site)) as client, ThreadPoolExecutor(5) as threads:
        client.write("docs/first")
        with held(site):
            puts = [threads.submit(put, client, number) for number in range(5)]
            time.sleep(0.5)
            assert client.preview.stop() == 0
            assert {each.result() for each in puts} == {(503, "TOO_BUSY", 1)}
