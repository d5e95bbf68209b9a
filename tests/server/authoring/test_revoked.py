"""A key that ends while a request is on its way: the request is refused and changes nothing."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.server.api.raw import read
from tests.server.authoring.inside import BASE, Hosted, hosted
from tests.sites import write_site
from tests.waiting import until

SITE = {"site.yml": "title: T\n", "docs/a.md": "# A\n", "docs/guide/b.md": "B\n"}
PAGE = {"path": "docs/x", "format": "md", "body": "Hello.\n"}
REQUESTS = {
    "a page": (f"PUT {BASE}/ai/page", PAGE),
    "a rehearsal": (f"PUT {BASE}/ai/page?dry_run=true", PAGE),
    "a category": (f"POST {BASE}/ai/category", {"path": "docs/guide", "label": "G"}),
}


@dataclass(slots=True)
class Begun:
    """A server, the id of the key that the request has, and the clock of keys."""

    server: Hosted
    key: str
    now: list[float]
    asked: list[float]
    """An entry for each time that the clock was asked, as every look at a key does."""


def _expire(begun: Begun) -> None:
    begun.now[0] += 3600


TAKEN: dict[str, tuple[Callable[[Begun], None], str]] = {
    "expired": (_expire, "KEY_EXPIRED"),
    "disabled": (lambda begun: begun.server.keys.disable(begun.key), "KEY_DISABLED"),
    "deleted": (lambda begun: begun.server.keys.delete(begun.key), "BAD_KEY"),
}


@contextmanager
def serving(root: Path) -> Iterator[Begun]:
    """A server of the site in `root`."""
    now = [1_000_000.0]
    asked: list[float] = []

    def clock() -> float:
        asked.append(now[0])
        return now[0]

    with hosted(write_site(root, SITE), clock=clock) as server:
        yield Begun(server, server.keys.find(server.site, server.short).id, now, asked)


@pytest.mark.parametrize("how", TAKEN)
@pytest.mark.parametrize("what", REQUESTS)
def test_a_request_whose_key_ends_before_its_body_is_there_is_refused_and_changes_nothing(
    tmp_path: Path, what: str, how: str
) -> None:
    line, asked = REQUESTS[what]
    take, code = TAKEN[how]
    body = json.dumps(asked).encode()
    with serving(tmp_path) as begun, begun.server.connect() as connection:
        before = files(tmp_path)
        lines = [f"{line} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {begun.server.short}"]
        lines += [f"Content-Length: {len(body)}", "Expect: 100-continue", "", ""]
        connection.sendall("\r\n".join(lines).encode())
        assert read(connection).status == 100
        take(begun)
        connection.sendall(body)
        answer = read(connection)
        assert (answer.status, answer.code, answer.headers["www-authenticate"]) == (401, code, "Bearer")
        assert files(tmp_path) == before


@pytest.mark.parametrize("what", ["a page", "a category", "a deletion"])
def test_a_change_whose_key_is_taken_away_while_it_waits_for_its_turn_is_refused(
    tmp_path: Path, what: str
) -> None:
    line, asked = {**REQUESTS, "a deletion": (f"DELETE {BASE}/ai/page?path=docs/a", "")}[what]
    body = json.dumps(asked).encode() if asked else b""
    lines = [f"{line} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    with serving(tmp_path) as begun, begun.server.connect() as connection:
        before = files(tmp_path)
        with turn(tmp_path):
            asked_before = len(begun.asked)
            lines += [f"Authorization: Bearer {begun.server.short}", "", ""]
            connection.sendall("\r\n".join(lines).encode() + body)
            looks = 3 if body else 2  # at the door, with the body, and when a thread has begun
            until(lambda: len(begun.asked) >= asked_before + looks)
            begun.server.keys.delete(begun.key)
        answer = read(connection)
        assert (answer.status, answer.code) == (401, "BAD_KEY")
        assert files(tmp_path) == before


@contextmanager
def turn(root: Path) -> Iterator[None]:
    """That of another process, which writes to the site."""
    with (root / ".twinpress/state/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def files(root: Path) -> dict[Path, bytes]:
    """Read the files below `docs`."""
    return {path: path.read_bytes() for path in (root / "docs").rglob("*") if path.is_file()}
