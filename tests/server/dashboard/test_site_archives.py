"""Archives in the dashboard: a site is imported with a report, and exported as it is."""

from __future__ import annotations

import http.client
import io
import os
import socket
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack

import pytest

from server.dashboard import site_archive_pages
from server.dashboard.site_archive_pages import MOST_BYTES
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard
from tests.waiting import PATIENCE, until

ANN = "ann@example.com"
SITE = {"site.yml": b"title: Quays\n", "docs/index.md": b"# Welcome\n"}


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    """A browser of an account without sites."""
    dashboard.account(ANN)
    return dashboard.signed_in(ANN)


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def upload(browser: Browser, name: str, archive: bytes, *, field: str = "archive") -> Page:
    """Send the form."""
    parts = [('name="name"', name.encode()), (f'name="{field}"; filename="a.zip"', archive)]
    return browser.upload("/sites/import", parts)


def exported(browser: Browser, path: str) -> dict[str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=PATIENCE)
    cookies = "; ".join(f"{name}={text}" for name, text in browser.cookies.items())
    connection.request("GET", path, headers={"Host": f"localhost:{browser.port}", "Cookie": cookies})
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/zip")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="quay-docs.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.read())) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    connection.close()
    return found


def test_a_site_is_imported_and_exported_as_it_is(dashboard: Dashboard, ann: Browser) -> None:
    page = upload(ann, "quay-docs", zipped(SITE))
    assert "quay-docs is imported" in page.words
    assert "1 page, 2 files in all" in page.words
    assert "Nothing was left out" in page.words
    assert ann.get(page.path).path == "/sites/quay-docs"
    assert "Quays" in ann.get("/sites/quay-docs").words
    assert exported(ann, "/sites/quay-docs/export") == SITE
    assert not list(dashboard.desk.sites.opened.root("").glob(".*"))


def test_what_is_left_out_is_listed_with_the_reason(ann: Browser) -> None:
    active = {
        "static/run.js": b"alert(1)",
        "theme/page.html": b"{{ 1 }}",
        ".twinpress/state/control.sqlite3": b"x",
    }
    page = upload(ann, "quay-docs", zipped({**SITE, **active}))
    for name in ("static/run.js", "theme/", ".twinpress/"):
        assert name in page.words
    assert exported(ann, "/sites/quay-docs/export") == SITE


@pytest.mark.parametrize(
    ("name", "archive", "why"),
    [
        ("quay-docs", b"no archive", "zip"),
        ("quay-docs", b"", "Choose a zip"),
        ("quay-docs", zipped({**SITE, "../x.md": b"x"}), "../x.md"),
        ("www", zipped(SITE), "is reserved"),
    ],
)
def test_what_cannot_be_imported_is_said_and_leaves_nothing(
    dashboard: Dashboard, ann: Browser, name: str, archive: bytes, why: str
) -> None:
    page = upload(ann, name, archive)
    assert page.status == 422
    assert why in page.words
    assert f'value="{name}"' in page.text
    assert not list(dashboard.desk.sites.opened.root("").iterdir())
    assert not dashboard.desk.sites.sites.list(dashboard.desk.accounts.list()[0].id)


def test_an_upload_that_is_too_large_is_refused(
    dashboard: Dashboard, ann: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_BYTES > 100_000_000
    monkeypatch.setattr(site_archive_pages, "MOST_BYTES", 1000)
    page = upload(ann, "quay-docs", b"x" * 2000)
    assert page.status == 413
    assert not list(dashboard.desk.sites.opened.root("").iterdir())


def test_a_form_of_somebody_elses_making_is_refused(ann: Browser) -> None:
    assert upload(ann, "quay-docs", zipped(SITE), field="other").status == 400
    assert ann.post("/sites/import", {"name": "quay-docs"}).status == 415


def test_who_takes_almost_nothing_of_a_download_gives_the_place_free(
    ann: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_archive_pages, "SECONDS", 5.0)
    monkeypatch.setattr(site_archive_pages, "SLOW", 1 << 30, raising=False)
    upload(ann, "quay-docs", zipped(SITE | {"static/large.png": os.urandom(12 << 20)}))
    cookies = "; ".join(f"{name}={text}" for name, text in ann.cookies.items())
    head = f"GET /sites/quay-docs/export HTTP/1.1\r\nHost: localhost:{ann.port}\r\nCookie: {cookies}\r\n\r\n"
    with ExitStack() as opened:
        for _ in range(site_archive_pages.AT_ONCE):
            line = opened.enter_context(socket.create_connection(("127.0.0.1", ann.port)))
            line.sendall(head.encode())
            assert line.recv(12) == b"HTTP/1.1 200"
        assert ann.get("/sites/quay-docs/export").status == 429
        until(lambda: not site_archive_pages._ARCHIVES._running, 15)
    assert exported(ann, "/sites/quay-docs/export")["docs/index.md"] == b"# Welcome\n"
