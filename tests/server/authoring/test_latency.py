"""No body keeps other clients waiting: the event loop is never blocked for longer than 100 ms."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator

import pytest

from tests.server.authoring.client import BASE, Client, authoring
from tests.sites import write_site
from tests.time_bounds import slowness
from tests.waiting import PATIENCE

ALLOWED = 0.1
TRIES = 4
"""The machine may be busy with something else; a body that blocks does so each time."""
SIZE = 2 * 1024 * 1024 - 100


def filled(before: str, piece: str, after: str, size: int = SIZE) -> bytes:
    """Pieces with commas between them, as many as a request can have."""
    count = (size - len(before) - len(after)) // (len(piece) + 1)
    return (before + ",".join([piece] * count) + after).encode()


def nested(key: str) -> tuple[str, str]:
    """Return the text before and after the values of a field."""
    return f'{{"path": "docs/a", "{key}": [', "]}"


def fields(key: str) -> tuple[str, str]:
    """The same for a field of the frontmatter."""
    return f'{{"path": "docs/a", "frontmatter": {{"{key}": [', "]}}"


def paged(body: str) -> bytes:
    """A page with this body."""
    return json.dumps({"path": "docs/a", "body": body}).encode()


BODIES = {
    "numbers in an unknown field": filled(nested("zzz")[0], "0", nested("zzz")[1]),
    "lists in an unknown field": filled(nested("zzz")[0], "[]", nested("zzz")[1]),
    "objects in frontmatter": filled(fields("k")[0], "{}", fields("k")[1]),
    "numbers in frontmatter": filled(fields("k")[0], "1", fields("k")[1]),
    "texts in frontmatter": filled(fields("k")[0], '""', fields("k")[1]),
    "lists in lists in frontmatter": filled(fields("k")[0], "[" * 20 + "]" * 20, fields("k")[1]),
    "keys in frontmatter": (
        '{"path": "docs/a", "frontmatter": {' + ",".join(f'"k{one}": 1' for one in range(150_000)) + "}}"
    ).encode(),
    "commas in the body": paged(",[{" * 300_000),
    "quotes in the body": paged('"' * 900_000),
    "words in the body": paged("Some words, and more of them.\n" * 30_000),
    "paragraphs in the body": paged("Some words.\n\n" * 70_000),
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server in a process of its own."""
    site = write_site(tmp_path_factory.mktemp("site"), {"site.yml": "title: T\n", "docs/a.md": "# A\n"})
    with authoring(site, "--requests", "0") as client:
        yield client


def longest(client: Client, body: bytes) -> float:
    """The longest time that another client waits for a short answer, while this body is read."""
    sending = threading.Thread(target=client.ask, args=("PUT", f"{BASE}/ai/page?dry_run=true", body))
    connection = http.client.HTTPConnection("127.0.0.1", client.preview.port, timeout=PATIENCE)
    waits = []
    try:
        connection.request("GET", "/api/v1/nowhere")
        connection.getresponse().read()
        sending.start()
        while sending.is_alive():
            began = time.monotonic()
            connection.request("GET", "/api/v1/nowhere")
            connection.getresponse().read()
            waits.append(time.monotonic() - began)
            time.sleep(0.002)
    finally:
        sending.join()
        connection.close()
    return max(waits)


@pytest.mark.parametrize("name", BODIES)
def test_nobody_waits_for_the_body_of_another(client: Client, name: str) -> None:
    waits = []
    while len(waits) < TRIES and (not waits or waits[-1] > ALLOWED):
        waits.append(longest(client, BODIES[name]))
    assert waits[-1] <= ALLOWED * (slowness(time.monotonic) if waits[-1] > ALLOWED else 1), waits
