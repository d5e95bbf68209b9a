"""Export of an account in the dashboard: a form behind a step-up, a zip that is sent while it is written."""

from __future__ import annotations

import io
import json
import os
import socket
import threading
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from server.control.audit import By
from server.dashboard import account_exports
from server.dashboard.account_exports import ALL_AT_ONCE
from tests.server.control.hosted import INSERT
from tests.server.dashboard.browser import Browser
from tests.server.dashboard.conftest import Dashboard, running
from tests.waiting import PATIENCE, until

ANN = "ann@example.com"
PEOPLE = [ANN, "bob@example.com", "carl@example.com"]


class Held:
    """A database server whose dumps wait until they are let go."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Semaphore(0), threading.Event()

    def dump(self, _: str, target: Path) -> bool:
        target.write_bytes(b"PGDMP of the test")
        self.begun.release()
        return self.may_end.wait(PATIENCE)


@pytest.fixture
def held() -> Iterator[Held]:
    found = Held()
    yield found
    found.may_end.set()


def own(dashboard: Dashboard, email: str, number: int = 1) -> Browser:
    """A browser of an account that has a database."""
    id, database = dashboard.account(email).id, dashboard.desk.database
    database.write(INSERT, (f"db_{'a' * 15}{number}", id, 1, "orders", "orders", None, None))
    return dashboard.signed_in(email)


def begin(dashboard: Dashboard, browser: Browser) -> socket.socket:
    """Ask for an export, and read nothing yet."""
    connection = socket.create_connection(("localhost", dashboard.port))
    cookies = "; ".join(f"{name}={text}" for name, text in browser.cookies.items())
    head = ("POST /account/export HTTP/1.1", f"Host: localhost:{dashboard.port}", f"Cookie: {cookies}")
    rest = (
        "Sec-Fetch-Site: same-origin",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Length: 0",
    )
    connection.sendall("\r\n".join((*head, *rest, "", "")).encode())
    return connection


def left(dashboard: Dashboard) -> list[Path]:
    return list(dashboard.desk.sites.opened.root("").glob(".export-*"))


def test_all_that_an_account_has_is_downloaded(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    dashboard.desk.sites.create(account.id, "quay-docs", By("the test"))
    browser = dashboard.signed_in(ANN)
    assert "Export this account" in browser.get("/account").words
    assert "manifest.json" in browser.get("/account/export").words
    cookies = "; ".join(f"{name}={text}" for name, text in browser.cookies.items())
    asked = urllib.request.Request(
        f"http://localhost:{dashboard.port}/account/export",
        data=b"",
        headers={"Cookie": cookies, "Sec-Fetch-Site": "same-origin"},
    )
    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
        assert answer.headers["Content-Type"] == "application/zip"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "attachment" in answer.headers["Content-Disposition"]
        archive = zipfile.ZipFile(io.BytesIO(answer.read()))
    assert archive.testzip() is None
    assert json.loads(archive.read("manifest.json"))["missing"] == []
    assert "sites/quay-docs/files/site.yml" in archive.namelist()
    assert "Account exported" in browser.get("/activity").words
    assert left(dashboard) == []


def test_an_export_needs_a_step_up(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    dashboard.desk.database.write("UPDATE browser_sessions SET stepped_up_until = 0")
    assert browser.post("/account/export").path.startswith("/step-up")


def test_an_account_has_one_at_a_time_and_the_service_some(tmp_path: Path, held: Held) -> None:
    with running(tmp_path / "data", dump=held.dump) as dashboard:
        browsers = [own(dashboard, email, number) for number, email in enumerate(PEOPLE, 2)]
        begun = [begin(dashboard, browser) for browser in browsers[:ALL_AT_ONCE]]
        for _ in begun:
            assert held.begun.acquire(timeout=PATIENCE)
        assert "is being downloaded already" in browsers[0].post("/account/export").words
        assert "Other people export" in browsers[-1].post("/account/export").words
        assert browsers[0].get("/sites").status == 200
        held.may_end.set()
        for connection in begun:
            connection.close()
        until(lambda: dashboard.desk.exports.length == 0)
        with begin(dashboard, browsers[-1]):
            assert held.begun.acquire(timeout=PATIENCE)


def test_a_download_that_breaks_off_leaves_nothing_behind(tmp_path: Path, held: Held) -> None:
    with running(tmp_path / "data", dump=held.dump) as dashboard:
        browser = own(dashboard, ANN)
        connection = begin(dashboard, browser)
        assert held.begun.acquire(timeout=PATIENCE)
        assert len(left(dashboard)) == 1
        connection.close()
        held.may_end.set()
        until(lambda: left(dashboard) == [])


def test_who_takes_almost_nothing_makes_way_for_others(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_exports, "ENOUGH", 0.5)
    browsers = []
    for number, email in enumerate(PEOPLE):
        dashboard.account(email)
        browsers.append(dashboard.signed_in(email))
        browsers[-1].post("/sites", {"name": f"quay-{number}"})
        site = dashboard.desk.sites.sites.find(f"quay-{number}")
        (dashboard.desk.sites.opened.root(site.id) / "static/large.png").write_bytes(os.urandom(12 << 20))
    *slow, last = browsers
    with ExitStack() as opened:
        lines = [opened.enter_context(begin(dashboard, browser)) for browser in slow]
        until(lambda: dashboard.desk.exports.length == ALL_AT_ONCE)
        assert last.post("/account/export").status == 429
        time.sleep(1)
        last.post("/account/export")
        until(lambda: dashboard.desk.exports.length < ALL_AT_ONCE)
        line = opened.enter_context(begin(dashboard, last))
        assert line.recv(12) == b"HTTP/1.1 200"
        assert len(lines) == ALL_AT_ONCE


def test_who_reads_as_fast_as_it_is_written_is_not_slow(held: Held, tmp_path: Path) -> None:
    """The time that the server takes is no fault of the reader."""
    with running(tmp_path / "data", dump=held.dump) as dashboard, ExitStack() as opened:
        for number, email in enumerate(PEOPLE[:ALL_AT_ONCE]):
            opened.enter_context(begin(dashboard, own(dashboard, email, number + 2)))
            assert held.begun.acquire(timeout=PATIENCE)
        sent = list(dashboard.desk.exports._sent.values())
        assert [each.waiting() for each in sent] == [0.0] * ALL_AT_ONCE
        held.may_end.set()
