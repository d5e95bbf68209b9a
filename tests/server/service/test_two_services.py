"""Two services on one data folder: sessions, sites, keys, previews and limits are those of both."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.server.api.exchange import Reply, exchange
from tests.server.commands import twinpress
from tests.server.control.people import PASSWORD
from tests.server.dashboard.browser import Browser, Page, form_of
from tests.server.http_client import request
from tests.server.service.hosting import admin
from tests.server.service.process import Host
from tests.waiting import until

PAGE = "/api/v1/pages/ai/page"
SITE = "/sites/quay-docs"


class Proxied(Browser):
    """A browser behind a proxy, which passes on the name that it was asked for under."""

    name = ""

    def once(
        self, method: str, path: str, form: dict[str, str] | bytes | None, headers: dict[str, str]
    ) -> Page:
        return super().once(method, path, form, {**headers, "Host": self.name})


class Two:
    """Both services, and one browser that comes to the one or the other."""

    def __init__(self, data: Path) -> None:
        self.data = data
        ports = free_port(), free_port()
        self.sites = {port: free_port() for port in ports}
        url = f"http://localhost:{ports[0]}"
        self.hosts = {port: Host(data, port, arguments=self.arguments(url, port)) for port in ports}
        self.one, self.other = ports
        self.cookies: dict[str, str] = {}

    def arguments(self, url: str, port: int) -> tuple[str, ...]:
        named = ("--url", url, "--sites-url", "http://sites.localhost", "--sites-port", str(self.sites[port]))
        return ("--no-databases", *named)

    def browser(self, port: int) -> Browser:
        browser = Proxied(port, self.cookies)
        browser.name = f"localhost:{self.one}"
        return browser

    def sign_in(self) -> None:
        assert (
            self.browser(self.one).post("/sign-in", {"email": "a@b.org", "password": PASSWORD}).status == 200
        )

    def key(self, port: int) -> str:
        """A new key of the site, from the one page that shows it."""
        page = self.browser(port).post(f"{SITE}/keys", {"kind": "one-off"})
        (text,) = set(re.findall(r"dpk_\w{20,}", page.text))
        return text

    def read(self, port: int, path: str, key: str) -> Reply:
        return exchange(port, "GET", f"{PAGE}?path={path}", key)

    def write(self, port: int, path: str, key: str, text: str) -> Reply:
        return exchange(port, "PUT", PAGE, key, {"path": path, "format": "md", "body": text})


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    found = Two(tmp_path_factory.mktemp("two") / "data")
    create = ("admin", "--data", found.data, "account", "create", "a@b.org", "--plan", "premium")
    done = twinpress(*create, cwd=found.data.parent, given=f"{PASSWORD}\n")
    assert done.returncode == 0, done.stderr
    with ExitStack() as runs:
        for host in found.hosts.values():
            host.start()
            runs.callback(host.runs.close)
        found.sign_in()
        found.browser(found.one).post("/sites", {"name": "quay-docs"})
        yield found
        assert [host.stop() for host in found.hosts.values()] == [0, 0]


def edit(two: Two, port: int, path: str = "docs/index") -> Page:
    return two.browser(port).get(f"{SITE}/pages/edit?path={path}")


def test_a_session_is_one_of_both_and_ends_in_both(two: Two) -> None:
    assert two.browser(two.other).get(SITE).status == 200
    two.browser(two.other).post("/sign-out")
    for port in two.hosts:
        assert two.browser(port).get(SITE).path.startswith("/sign-in")
    two.sign_in()


def test_a_key_of_one_writes_at_the_other_and_ends_in_both(two: Two) -> None:
    key = two.key(two.one)
    assert two.write(two.other, "docs/moored", key, "# Moored\n").status == 201
    assert two.read(two.one, "docs/moored", key).data["body"] == "# Moored\n"
    assert "Moored" in edit(two, two.one, "docs/moored").words
    (end,) = re.findall(rf"{SITE}/keys/[^/\"]+/end", two.browser(two.one).get(f"{SITE}/keys").text)
    two.browser(two.one).post(end)
    for port in two.hosts:
        assert two.read(port, "docs/moored", key).code == "BAD_KEY"


def test_a_page_that_was_opened_in_both_is_a_conflict_and_nothing_is_lost(two: Two) -> None:
    mine, theirs = (form_of(edit(two, port)) for port in two.hosts)
    saved = two.browser(two.other).post(f"{SITE}/pages/edit", {**theirs, "text": "# Theirs\n"})
    assert "Saved." in saved.words
    refused = two.browser(two.one).post(f"{SITE}/pages/edit", {**mine, "text": "# Mine\n"})
    assert (refused.status, "Theirs" in refused.words, "Mine" in refused.words) == (409, True, True)
    assert "Theirs" in edit(two, two.one).words


def test_what_both_write_at_once_is_all_there_with_its_history(two: Two) -> None:
    key = two.key(two.one)

    def write(number: int) -> int:
        port = (two.one, two.other)[number % 2]
        return two.write(port, f"docs/berth-{number}", key, f"# Berth {number}\n").status

    with ThreadPoolExecutor(8) as writers:
        assert set(writers.map(write, range(40))) == {201}
    for port in two.hosts:
        read = [two.read(port, f"docs/berth-{number}", key).data["body"] for number in range(40)]
        assert read == [f"# Berth {number}\n" for number in range(40)]
    words = two.browser(two.other).get(f"{SITE}/pages/history?path=docs/berth-39").words
    assert "created" in words


def test_a_new_name_is_that_of_both_while_both_have_the_site_open(two: Two) -> None:
    for port in two.hosts:
        assert edit(two, port).status == 200
    two.browser(two.one).post(f"{SITE}/rename", {"name": "pier-docs"})
    assert two.browser(two.other).get("/sites/pier-docs").status == 200
    two.browser(two.other).post("/sites/pier-docs/rename", {"name": "quay-docs"})
    assert two.browser(two.one).get(SITE).status == 200


def test_a_deleted_site_is_gone_in_both_until_it_is_restored(two: Two) -> None:
    key = two.key(two.other)
    two.browser(two.one).post(f"{SITE}/delete", {"name": "quay-docs"})
    assert two.browser(two.other).get(SITE).status == 404
    assert two.read(two.other, "docs/index", key).status in {401, 404}
    two.browser(two.other).post(f"{SITE}/restore")
    assert two.browser(two.one).get(SITE).status == 200


def test_a_preview_of_one_is_shown_by_the_other(two: Two) -> None:
    frame = re.search(r"http://(preview-[a-z2-7]+\.sites\.localhost)(/[^\"]*)", edit(two, two.one).text)
    assert frame
    host, path = frame.groups()
    for port in two.sites.values():
        status, _, body = request(port, "GET", path, [("Host", host)])
        assert (status, b"<html" in body) == (200, True)
    two.browser(two.one).post("/sign-out")
    for port in two.sites.values():
        assert request(port, "GET", path, [("Host", host)])[0] == 404
    two.sign_in()


def test_requests_of_a_key_are_counted_by_both(two: Two) -> None:
    key = two.key(two.one)
    answers: list[int] = []

    def ask(port: int) -> None:
        while two.read(port, "docs/index", key).status == 200:
            answers.append(port)

    threads = [threading.Thread(target=ask, args=(port,)) for port in two.hosts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # An hour's key has 300 in a minute; meanwhile five more come each second.
    assert 300 <= len(answers) <= 400, len(answers)
    assert set(answers) == set(two.hosts)


def test_a_backup_of_both_has_what_was_written_before_it_while_the_other_writes_on(
    two: Two, tmp_path: Path
) -> None:
    key, file, copy = two.key(two.one), tmp_path / "backup", tmp_path / "copy"
    assert two.write(two.one, "docs/saved", key, "Before.\n").status == 201
    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(admin, two.data, "backup", str(file))
        number = 0
        while number < 2 or not done.done():
            assert two.write(two.other, "docs/saved", key, f"{number}\n").status == 200
            number += 1
    assert done.result().returncode == 0, done.result().stderr
    restored = admin(copy, "restore", str(file), "--master-keys", str(two.data / "master.keys"))
    assert restored.returncode == 0, restored.stderr
    (page,) = copy.glob("sites/*/docs/saved.md")
    assert re.fullmatch(r"Before\.\n|[0-9]+\n", page.read_text())


def test_when_one_is_killed_among_writes_nothing_is_lost_and_the_other_goes_on(two: Two) -> None:
    key = two.key(two.other)
    kept: list[int] = []
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            try:
                answer = two.write(two.one, f"docs/tide-{number}", key, f"# Tide {number}\n")
            except (OSError, http.client.HTTPException):
                return
            if answer.status == 201:
                kept.append(number)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    until(lambda: len(kept) > 5)
    two.hosts[two.one].kill()
    stop.set()
    writer.join()
    for number in kept:
        assert two.read(two.other, f"docs/tide-{number}", key).data["body"] == f"# Tide {number}\n"
    assert two.write(two.other, "docs/tide-0", key, "# After\n").status == 200
    two.hosts[two.one].start()
    assert two.read(two.one, "docs/tide-0", key).data["body"] == "# After\n"
