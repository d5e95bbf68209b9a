"""A release takes the place of another while readers read: each page is wholly of one."""

from __future__ import annotations

import re
import threading
import time

import pytest

from tests.server.site_serving.asking import Readers, connection, serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store

READERS = 4
PAGES = ("index", "docs/a", "docs/b")
ASSET = re.compile(r'(?:href|src)="(/_tp/[^"]+)"')


def _files(number: int) -> dict[str, bytes]:
    """A release whose pages and assets all have its number; pages and some assets change with each."""
    style, script = f"_tp/theme.{number:010x}.css", f"_tp/search/index.{number // 7:010x}.js"
    html = f'<link href="/{style}"><script src="/{script}"></script>release {number} ' + "x" * 2000
    pages = {f"{page}.html": f"<!doctype html>{page} {html}".encode() for page in PAGES}
    return {**pages, style: b"/* %d */" % number, script: b"// %d" % (number // 7)}


class _Reader(threading.Thread):
    """Reads pages, and all that they name, until told to stop."""

    def __init__(self, readers: Readers, stop: threading.Event) -> None:
        super().__init__()
        self._readers = readers
        self._stop_reading = stop
        self.pages = 0
        self.releases: list[int] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        with connection(self._readers) as line:
            while not self._stop_reading.is_set():
                for page in PAGES:
                    line.request("GET", f"/{page}", headers={"Host": HOST})
                    answer = line.getresponse()
                    self._look(line, page, answer.status, answer.read().decode())

    def _look(self, line, page: str, status: int, text: str) -> None:
        if status != 200 or not text.startswith(f"<!doctype html>{page} "):
            self.wrong.append(f"{page}: {status}")
            return
        self.pages += 1
        number = int(text.partition("release ")[2].partition(" ")[0])
        self.releases.append(number)
        style, script = ASSET.findall(text)
        for asset, expected in ((style, f"/* {number} */"), (script, f"// {number // 7}")):
            line.request("GET", asset, headers={"Host": HOST})
            answer = line.getresponse()
            body = answer.read().decode()
            if (answer.status, body) != (200, expected):
                self.wrong.append(f"{asset} of release {number}: {answer.status}")


@pytest.fixture
def data(tmp_path):
    publish(release_store(tmp_path), _files(1))
    mount(tmp_path, {HOST: SITE})
    return tmp_path


@pytest.mark.parametrize("publishes", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_each_page_is_wholly_of_one_release(data, publishes):
    store, stop = release_store(data), threading.Event()
    with serving_sites(data) as readers:
        crowd = [_Reader(readers, stop) for _ in range(READERS)]
        for reader in crowd:
            reader.start()
        for number in range(2, publishes + 1):
            assert publish(store, _files(number)) == number
            if number % 10 == 0:
                store.sweep(5)
            time.sleep(0.02)
        time.sleep(0.2)
        stop.set()
        for reader in crowd:
            reader.join()
    assert [reader.wrong for reader in crowd] == [[]] * READERS
    for reader in crowd:
        assert reader.releases == sorted(reader.releases), "no reader goes back in time"
        assert reader.releases[-1] == publishes
        assert len(set(reader.releases)) > 10
