"""Counts of readers as the process for readers makes them, without a service."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.plan import site_files
from server.readers.reader_counts import FILE, FOLDER, ReaderCounts
from server.readers.reader_report import NamedCount, ReaderReport, reader_report
from server.site_serving.counted_readers import EVERY, SEARCHES
from tests.server.commands import Answer
from tests.server.http_client import request
from tests.server.site_serving.asking import BROWSER, Readers, serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.waiting import until

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
PERSON = {"User_Agent": FIREFOX, "Accept": BROWSER}
NOTHING = ((), 0, (), ())


@pytest.fixture
def data(tmp_path: Path, built: Mapping[str, bytes]) -> Path:
    """The data of a service with a site whose owner wants to know of searches."""
    parts = {"docs/guide/llms.txt": b"# Guide\n", "llms-full-2.txt": b"# Pages (2)\n"}
    publish(release_store(tmp_path), {**built, **parts, SEARCHES: b"x"})
    publish(release_store(tmp_path, "reef"), {"index.html": b"reef"})
    mount(
        tmp_path,
        {HOST: SITE, "www.quay.localhost": SITE, "reef.localhost": "reef", "empty.localhost": "none"},
    )
    return tmp_path


def report(data: Path, site: str = SITE) -> ReaderReport:
    return reader_report(ReaderCounts(data), site, 2)


def counted(data: Path, site: str = SITE) -> tuple[object, ...]:
    found = report(data, site)
    return found.pages, found.bots, found.vain, found.searches


def search(readers: Readers, text: bytes, host: str = HOST, **headers: str) -> Answer:
    sent = {"Host": host, "User_Agent": FIREFOX, **headers}
    named = [(name.replace("_", "-"), value) for name, value in sent.items()]
    return Answer(*request(readers.port, "POST", f"/{SEARCHES}", named, text))


PAGES: list[tuple[str, dict[str, str], NamedCount]] = [
    ("/", PERSON, NamedCount("/", 1, 0)),
    ("/docs/x", PERSON, NamedCount("/docs/x", 1, 0)),
    ("/docs/x?q=boat", PERSON, NamedCount("/docs/x", 1, 0)),
    ("/docs/x.html", PERSON, NamedCount("/docs/x", 1, 0)),
    ("/docs/guide/", PERSON, NamedCount("/docs/guide/", 1, 0)),
    ("/docs/x.md", PERSON, NamedCount("/docs/x", 0, 1)),
    ("/docs/guide/index.md", PERSON, NamedCount("/docs/guide/", 0, 1)),
    ("/docs/x", {**PERSON, "Accept": "text/markdown"}, NamedCount("/docs/x", 0, 1)),
    ("/llms.txt", PERSON, NamedCount("/llms.txt", 0, 1)),
    ("/docs/guide/llms.txt", PERSON, NamedCount("/docs/guide/llms.txt", 0, 1)),
    ("/llms-full-2.txt", PERSON, NamedCount("/llms-full-2.txt", 0, 1)),
    ("/docs/x", {"User_Agent": "Claude-User/1.0"}, NamedCount("/docs/x", 0, 1)),
    ("/docs/%C3%BCn%C3%AF", PERSON, NamedCount("/docs/ünï", 1, 0)),
]


@pytest.mark.parametrize(("path", "headers", "wanted"), PAGES)
def test_a_page_is_counted_by_its_address_and_by_who_asks(
    data: Path, path: str, headers: dict[str, str], wanted: NamedCount
) -> None:
    with serving_sites(data) as readers:
        assert readers.get(path, **headers).status == 200
    assert counted(data) == ((wanted,), 0, (), ())


def test_a_page_that_the_browser_has_is_counted(data: Path) -> None:
    with serving_sites(data) as readers:
        etag = readers.get("/docs/x", **PERSON).headers["etag"]
        assert readers.get("/docs/x", If_None_Match=etag, **PERSON).status == 304
    assert report(data).pages == (NamedCount("/docs/x", 2, 0),)


UNCOUNTED: list[tuple[str, str, dict[str, str]]] = [
    ("HEAD", "/docs/x", PERSON),
    ("HEAD", "/nothing", PERSON),
    ("GET", "/docs/x", {**PERSON, "Sec_Purpose": "prefetch;prerender"}),
    ("GET", "/docs/x", {**PERSON, "Purpose": "prefetch"}),
    ("GET", "/docs/x", {**PERSON, "Range": "bytes=0-3"}),
    ("GET", "/docs/guide/data.csv", PERSON),
    ("GET", "/drawing.svg", PERSON),
    ("GET", "/_tp/search.json", PERSON),
    ("GET", "/_tp/no.js", PERSON),
    ("GET", "/favicon.ico", PERSON),
    ("GET", "/no.png", {**PERSON, "Sec_Fetch_Dest": "image"}),
    ("GET", "/old", PERSON),
    ("GET", "/docs/guide", PERSON),
    ("DELETE", "/docs/x", PERSON),
]


def test_what_nobody_reads_is_not_counted(data: Path) -> None:
    with serving_sites(data) as readers:
        for method, path, headers in UNCOUNTED:
            readers.get(path, method=method, **headers)
        readers.get("/docs/x", "unknown.localhost", **PERSON)
        readers.get("/docs/x", "empty.localhost", **PERSON)
    assert counted(data) == NOTHING
    assert counted(data, "none") == NOTHING


def test_crawlers_are_counted_apart(data: Path) -> None:
    with serving_sites(data) as readers:
        for path in ("/docs/x", "/docs/x.md", "/nothing"):
            readers.get(path, User_Agent=CRAWLER)
    assert counted(data) == ((), 3, (), ())


def test_addresses_at_which_there_is_nothing_are_told(data: Path) -> None:
    with serving_sites(data) as readers:
        for path in ("/docs/was-here", "/docs/was-here?a=b", "/a%0d%0aSet-Cookie:x", "/<script>"):
            assert readers.get(path, **PERSON).status == 404
        assert readers.get("/docs/was-here", Accept="text/markdown").status == 404
        readers.get("/docs/was-here.md", **PERSON)
    assert report(data).vain == (
        NamedCount("/docs/was-here", 2, 1),
        NamedCount("/%3Cscript%3E", 1, 0),
        NamedCount("/a%0D%0ASet-Cookie:x", 1, 0),
        NamedCount("/docs/was-here.md", 0, 1),
    )
    assert report(data).pages == ()


def test_nothing_of_who_asks_is_kept(data: Path) -> None:
    with serving_sites(data, "--trusted-proxy", "127.0.0.1") as readers:
        told = {"X_Forwarded_For": "203.0.113.77", "Referer": "https://from.example/", "Cookie": "who=ann"}
        readers.get("/docs/x", **PERSON, **told)
        readers.get("/nothing", **PERSON, **told)
    kept = b"".join(path.read_bytes() for path in (data / FOLDER).iterdir())
    assert b"/docs/x" in kept
    for each in (b"203.0.113.77", b"127.0.0.1", b"from.example", b"ann", b"Firefox"):
        assert each not in kept


def test_two_processes_add_up_and_write_while_they_run(data: Path) -> None:
    with serving_sites(data) as one, serving_sites(data) as other:
        for readers in (one, other, other):
            readers.get("/docs/x", **PERSON)
        until(lambda: report(data).pages == (NamedCount("/docs/x", 3, 0),), EVERY + 10)


def test_a_flood_of_made_up_addresses_is_bounded(data: Path) -> None:
    with serving_sites(data) as readers:
        for number in range(1_000):
            readers.get(f"/made-up/{number}", **PERSON)
    found = report(data).vain
    assert sum(each.count for each in found) == 1_000
    assert len(found) == 201


def test_counts_that_cannot_be_written_stop_no_reader(data: Path) -> None:
    blocked = data / FOLDER / FILE
    blocked.mkdir(parents=True)
    with serving_sites(data) as readers:
        assert readers.get("/docs/x", **PERSON).status == 200
        until(lambda: readers.told("What readers do cannot be written"), EVERY + 10)
        assert readers.get("/docs/x", **PERSON).status == 200
        time.sleep(EVERY + 1)
        assert len(readers.told("cannot be written")) == 1
        blocked.rmdir()
        until(lambda: readers.told("is written again"), EVERY + 10)
    assert report(data).pages == (NamedCount("/docs/x", 2, 0),)


def test_the_address_is_that_of_the_file_that_a_build_writes() -> None:
    assert SEARCHES == site_files.SEARCHES


def test_a_search_without_a_result_is_counted_where_the_owner_wants_it(data: Path) -> None:
    with serving_sites(data) as readers:
        answers = [search(readers, text) for text in (b"Slack  Water", b"slack water", b"ann@example.com")]
        assert [answer.status for answer in answers] == [204] * 3
        assert search(readers, b"slack water", User_Agent=CRAWLER).status == 204
        assert search(readers, b"x", "reef.localhost").status == 405
        assert search(readers, b"x", "empty.localhost").status == 405
        assert search(readers, b"x", "preview-a.localhost").status == 404
        assert search(readers, b"x", "unknown.localhost").status == 404
    assert report(data).searches == (NamedCount("slack water", 2, 0),)
    assert counted(data, "reef") == NOTHING


REFUSED: list[tuple[bytes, dict[str, str], int]] = [
    (b"x", {"Sec_Fetch_Site": "cross-site"}, 403),
    (b"x", {"Sec_Fetch_Site": "same-site"}, 403),
    (b"x" * 401, {}, 413),
    (b"", {}, 413),
]


@pytest.mark.parametrize(("body", "headers", "status"), REFUSED)
def test_others_and_long_texts_are_refused(
    data: Path, body: bytes, headers: dict[str, str], status: int
) -> None:
    with serving_sites(data) as readers:
        assert search(readers, body, **headers).status == status
        assert search(readers, b"\xff\xfe\x00boat").status == 204
        assert search(readers, b"\xff\xfe\x00boat").status == 204
    assert report(data).searches == (NamedCount("\ufffd\ufffd boat", 2, 0),)


def test_a_text_that_does_not_arrive_is_given_up(data: Path) -> None:
    head = f"POST /{SEARCHES} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 20\r\n\r\nslow".encode()
    with serving_sites(data) as readers, socket.create_connection(("127.0.0.1", readers.port), 30) as slow:
        slow.sendall(head)
        assert slow.recv(12) == b"HTTP/1.1 400"
    assert report(data).searches == ()
