"""A site is published again and again while it is read: each page is of one release, with its assets."""

from __future__ import annotations

import http.client
import re
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from msgspec import Struct, field

from tests.server.commands import twinpress
from tests.server.control.people import PASSWORD
from tests.server.dashboard.browser import Browser
from tests.server.service.process import Host
from tests.server.service.test_published import publish, read
from tests.sites import write_site
from tests.waiting import PATIENCE, until

HOST = "quay-docs.localhost"
PAGES = ("/docs/", "/docs/berths", "/docs/tides")
ASSET = re.compile(r'(?:href|src)="(/_tp/[^"]+\.[0-9a-f]{8,}\.(?:css|js))"')
STATE = re.compile(r"state-(\d+)")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    found = Host(tmp_path / "data", arguments=("--no-databases",))
    create = ("admin", "--data", found.data, "account", "create", "a@b.org")
    assert twinpress(*create, cwd=tmp_path, given=f"{PASSWORD}\n").returncode == 0
    found.start()
    yield found
    found.runs.close()


class Reader(Struct):
    """A reader who asks for pages in turn, and for each hashed asset that a page names."""

    port: int
    pages: int = 0
    assets: set[str] = field(default_factory=set)
    states: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def read(self, done: threading.Event) -> None:
        """Read until it is enough."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as line:
            while not done.is_set():
                for path in PAGES:
                    self._page(line, path)

    def _page(self, line: http.client.HTTPConnection, path: str) -> None:
        status, html = self._get(line, path)
        states, assets = set(STATE.findall(html)), ASSET.findall(html)
        if status != 200 or len(states) != 1 or len(assets) < 2:
            self.faults.append(f"{path}: {status}, states {states}, {len(assets)} assets")
        self.pages += 1
        self.states |= states
        for asset in assets:
            status, _ = self._get(line, asset)
            if status != 200:
                self.faults.append(f"{asset} of {path}: {status}")
            self.assets.add(asset)

    def _get(self, line: http.client.HTTPConnection, path: str) -> tuple[int, str]:
        line.request("GET", path, headers={"Host": f"{HOST}:{self.port}"})
        answer = line.getresponse()
        return answer.status, answer.read().decode()


@contextmanager
def reading(port: int, count: int) -> Iterator[Sequence[Reader]]:
    """So many readers, for the time of the block."""
    readers, done = [Reader(port) for _ in range(count)], threading.Event()
    threads = [threading.Thread(target=reader.read, args=(done,)) for reader in readers]
    for thread in threads:
        thread.start()
    try:
        yield readers
    finally:
        done.set()
        for thread in threads:
            thread.join()


def write(root: Path, number: int) -> None:
    """Bring all pages, the site's title, and the colours of its style into another state."""
    state = f"state-{number}"
    config = f'title: Quay {state}\naccent: "#{(number * 40503) % 0x700000 + 0x101010:06x}"\n'
    pages = {f"docs/{name}.md": f"# {name} {state}\n\n{state}\n" for name in ("index", "berths", "tides")}
    write_site(root, {"site.yml": config, **pages})


@pytest.mark.parametrize("publishes", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_each_page_is_of_one_release_and_has_its_assets(host: Host, publishes: int) -> None:
    assert host.preview
    port = int(re.findall(r":(\d+)$", host.preview.says("Sites are at "))[0])
    browser = Browser(host.port)
    browser.post("/sign-in", {"email": "a@b.org", "password": PASSWORD})
    browser.post("/sites", {"name": "quay-docs"})
    (root,) = [path for path in (host.data / "sites").iterdir() if (path / "site.yml").exists()]
    for starter in ("docs", "pages", "static"):
        shutil.rmtree(root / starter, ignore_errors=True)
    write(root, 0)
    assert "Readers have release" in publish(browser)
    until(lambda: read(port, "/docs/", HOST)[0] == 200)
    with reading(port, 3) as readers:
        for number in range(1, publishes):
            write(root, number)
            assert "Readers have release" in publish(browser)
            until(lambda: f"state-{number}" in read(port, "/docs/", HOST)[1])  # noqa: B023 - at once
    assert [fault for reader in readers for fault in reader.faults] == []
    assert set().union(*(reader.states for reader in readers)) > {str(publishes - 1)}
    assert len(set().union(*(reader.assets for reader in readers))) > publishes // 2
    assert host.stop() == 0
