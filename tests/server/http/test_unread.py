"""Clients that do not read are in nobody's way: five hundred of them, on both servers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from tests.server.commands import serving
from tests.server.http.deaf import deaf
from tests.server.http_client import request
from tests.server.service.hosting import hosting
from tests.server.service.place import data_folder
from tests.sites import write_site

DOCUMENT = "/api/v1/openapi.json"
DEAF = 500
OTHER = "127.0.0.2"
"""Others have other addresses: of each address, so many connections may be open."""
ANSWERED = 50
"""Requests of others that are answered while all those are open: more of them are ended meanwhile."""


@contextmanager
def host(_: Path) -> Iterator[int]:
    """The port of a service."""
    with data_folder() as place, hosting(place, "--port", "0") as service:
        yield service.preview.port


@contextmanager
def serve(folder: Path) -> Iterator[int]:
    """The port of a preview, with a large file."""
    root = write_site(folder, {"site.yml": "title: T\n", "docs/index.md": "# T\n"})
    (root / "static").mkdir()
    (root / "static/large.bin").write_bytes(bytes(20 * 1024 * 1024))
    with serving(root, "--port", "0", "--no-key") as preview:
        yield preview.port


def _asked(port: int, path: str) -> int:
    """Return the status of an answer to another client, which asks once more when it is told to.

    It is, where a server that had no processor for a second finds it and 500 more before it has read a thing.
    """
    status = request(port, "GET", path, source=OTHER)[0]
    return request(port, "GET", path, source=OTHER)[0] if status == 503 else status


@pytest.mark.parametrize(
    ("server", "large", "small"),
    [
        pytest.param(host, DOCUMENT, "/healthz", marks=pytest.mark.slow),
        (serve, DOCUMENT, "/docs/"),
        pytest.param(serve, "/large.bin", "/docs/", marks=pytest.mark.slow),
    ],
    ids=["host", "serve", "serve a file"],
)
def test_others_are_answered_all_the_time(server, large: str, small: str, tmp_path: Path) -> None:
    done = Event()

    def others(port: int) -> list[int]:
        """Return the status of each answer to them from before the attack to its end."""
        found = []
        while not done.is_set():
            found.append(_asked(port, small))
        return found

    with server(tmp_path) as port, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(others, port)
        try:
            with deaf(port, large, DEAF):
                during = [_asked(port, small) for _ in range(ANSWERED)]
        finally:
            done.set()
        assert set(asked.result() + during) == {200}
