"""Files in the dashboard: uploaded by an allow-list of types, without anything that runs."""

from __future__ import annotations

import re
import select
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from server.dashboard import file_pages
from server.sites.archive_limits import ArchiveLimits
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard
from tests.waiting import until

FILES = "/sites/quay-docs/pages/files"
PNG = b"\x89PNG\r\n\x1a\n"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h1v1z"/></svg>'


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    """A browser of an account with a site."""
    dashboard.account("ann@example.com")
    browser = dashboard.signed_in("ann@example.com")
    browser.post("/sites", {"name": "quay-docs"})
    return browser


def root(dashboard: Dashboard) -> Path:
    (site,) = dashboard.desk.sites.sites.list(dashboard.desk.accounts.list()[0].id)
    return dashboard.desk.sites.opened.root(site.id)


def upload(browser: Browser, folder: str, name: str, data: bytes) -> Page:
    """Send the form."""
    return browser.upload(
        FILES, [('name="folder"', folder.encode()), (f'name="file"; filename="{name}"', data)]
    )


@pytest.mark.parametrize(
    ("folder", "name", "data"),
    [("static", "boat.png", PNG), ("/static/img/", "Boat.PNG", PNG), ("docs/guide", "plan.svg", SVG)],
)
def test_a_file_is_uploaded_replaced_and_deleted(
    dashboard: Dashboard, ann: Browser, folder: str, name: str, data: bytes
) -> None:
    file = f"{folder.strip('/')}/{name}"
    assert f"{file} is there" in upload(ann, folder, name, data).words
    assert (root(dashboard) / file).read_bytes() == data
    assert f"{file} is replaced" in upload(ann, folder, name, data + b"\n").words
    assert (root(dashboard) / file).read_bytes() == data + b"\n"
    assert "is deleted" in ann.post(f"{FILES}/delete", {"file": file}).words
    assert not (root(dashboard) / file).exists()


@pytest.mark.parametrize(
    ("folder", "name", "data", "why"),
    [
        ("static", "run.js", b"alert(1)", "Files of this type"),
        ("static", "page.html", b"<b>", "Files of this type"),
        ("static", "x.svg", b"<svg onload='alert(1)'/>", "cannot be taken"),
        ("static", "x.svg", SVG.replace(b"<path", b"<script>1</script><path"), "cannot be taken"),
        ("static", "x.png", b"", "not empty"),
        ("static", "a:b.png", PNG, "a sign that not every system"),
        ("docs", "x.mdx", b"x", "Files of this type"),
        ("../..", "x.png", PNG, "static/"),
        (".twinpress/state", "x.png", PNG, "static/"),
        ("static/.git", "x.png", PNG, "hidden"),
    ],
)
def test_what_cannot_be_taken_is_said_and_not_there(
    dashboard: Dashboard, ann: Browser, folder: str, name: str, data: bytes, why: str
) -> None:
    before = sorted(path for path in root(dashboard).rglob("*") if ".twinpress" not in path.parts)
    page = upload(ann, folder, name, data)
    assert page.status == 422
    assert why in page.words
    assert sorted(path for path in root(dashboard).rglob("*") if ".twinpress" not in path.parts) == before


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (ArchiveLimits(total_bytes=30_000), "may have 0 MB together"),
        (ArchiveLimits(files=16), "16 files, and may have no more"),
    ],
)
def test_a_site_takes_so_many_files(
    dashboard: Dashboard, ann: Browser, monkeypatch: pytest.MonkeyPatch, limits: ArchiveLimits, why: str
) -> None:
    monkeypatch.setattr(file_pages, "SITE", limits)
    pages = [upload(ann, "static", f"{number}.png", PNG * 1_000) for number in range(8)]
    assert "is there" in pages[0].words
    assert pages[-1].status == 422
    assert why in pages[-1].words
    assert not (root(dashboard) / "static/7.png").exists()


def test_a_name_that_is_too_long_is_said(ann: Browser) -> None:
    page = upload(ann, "static", "a" * 300 + ".png", PNG)
    assert (page.status, "too long" in page.words) == (422, True)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (FILES, "multipart/form-data; boundary=x"),
        ("/sites/quay-docs/pages/edit", "application/x-www-form-urlencoded"),
        ("/sites/quay-docs/pages/check", "application/json"),
    ],
)
def test_what_one_person_sends_at_a_time_is_bounded(ann: Browser, path: str, kind: str) -> None:
    """Each may have megabytes, and nobody need ever send the last byte."""
    cookie = "; ".join(f"{name}={text}" for name, text in ann.cookies.items())
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost:{ann.port}\r\nCookie: {cookie}\r\n"
        f"Sec-Fetch-Site: same-origin\r\nContent-Type: {kind}\r\nContent-Length: 5000000\r\n\r\nx"
    )
    with ExitStack() as opened:
        lines = [opened.enter_context(socket.create_connection(("127.0.0.1", ann.port))) for _ in range(10)]
        for line in lines:
            line.sendall(head.encode())
        until(lambda: len(select.select(lines, [], [], 0)[0]) >= 6)
        time.sleep(0.2)
        answered = select.select(lines, [], [], 0)[0]
        assert len(answered) == 6
        assert all(b" 429 " in line.recv(64) for line in answered)


def test_a_file_that_is_too_large_is_refused(ann: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_pages, "MOST_BYTES", 10)
    assert upload(ann, "static", "boat.png", PNG * 2).status == 413


def test_pages_and_settings_are_not_deleted_as_files(ann: Browser) -> None:
    files = ("docs/index.mdx", "docs/guide/_category_.yml", ".twinpress/state/x", "static/none.png")
    assert [ann.post(f"{FILES}/delete", {"file": file}).status for file in files] == [400, 400, 404, 404]
    assert ann.get("/sites/quay-docs/pages/edit?path=docs/index").status == 200


HISTORY, RESTORE = f"{FILES}/history", f"{FILES}/restore"


def test_a_file_has_versions_and_comes_back(dashboard: Dashboard, ann: Browser) -> None:
    for data in (PNG, PNG + bytes(5_000)):
        upload(ann, "static", "boat.png", data)
    page = ann.get(f"{HISTORY}?path=static/boat.png")
    assert "Before image/png, 8 bytes After image/png, 5 KB" in page.words
    assert "changed by you" in page.words
    (created,) = re.findall(r"revision=(\w{40})", page.text)
    done = ann.post(RESTORE, {"file": "static/boat.png", "revision": created})
    assert "static/boat.png is as it was" in done.words
    assert (root(dashboard) / "static/boat.png").read_bytes() == PNG
    assert ("restored by you" in done.words, "That is a new version" in done.words) == (True, True)
    again = ann.post(RESTORE, {"file": "static/boat.png", "revision": created})
    assert ("It was so already" in again.words, "Versions 3" in again.words) == (True, True)


def test_a_text_is_compared(ann: Browser) -> None:
    upload(ann, "static", "a.csv", b"one\n")
    upload(ann, "static", "a.csv", b"one\ntwo\n")
    page = ann.get(f"{HISTORY}?path=static/a.csv")
    assert ("+1 −0" in page.words, "+ added two" in page.words) == (True, True)


@pytest.mark.parametrize("size", [8, 3 * 1024 * 1024])
def test_a_deleted_file_is_listed_and_restored(dashboard: Dashboard, ann: Browser, size: int) -> None:
    data = PNG + bytes(size - 8)
    upload(ann, "docs/guide", "a b ü.png", data)
    ann.post(f"{FILES}/delete", {"file": "docs/guide/a b ü.png"})
    page = ann.get(f"{FILES}/deleted")
    assert "docs/guide/a b ü.png" in page.words
    (revision,) = re.findall(r'name="revision" value="(\w{40}\^)"', page.text)
    ann.post(RESTORE, {"file": "docs/guide/a b ü.png", "revision": revision})
    assert (root(dashboard) / "docs/guide/a b ü.png").read_bytes() == data
    assert "None of the last changes" in ann.get(f"{FILES}/deleted").words


def test_what_stands_in_the_way_of_a_restore_is_said(
    dashboard: Dashboard, ann: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(ann, "static", "A.png", PNG)
    ann.post(f"{FILES}/delete", {"file": "static/A.png"})
    upload(ann, "static", "a.png", PNG)
    (revision,) = re.findall(r'name="revision" value="(\w{40}\^)"', ann.get(f"{FILES}/deleted").text)
    given = {"file": "static/A.png", "revision": revision}
    page = ann.post(RESTORE, given)
    assert (page.status, "differs from it only in case" in page.words) == (422, True)
    ann.post(f"{FILES}/delete", {"file": "static/a.png"})
    monkeypatch.setattr(file_pages, "SITE", ArchiveLimits(files=1))
    page = ann.post(RESTORE, given)
    assert (page.status, "may have no more" in page.words) == (422, True)
    assert not (root(dashboard) / "static/A.png").exists()


@pytest.mark.parametrize(
    ("file", "revision"),
    [
        ("docs/index.mdx", "0000"),
        ("static/../site.yml", "0000"),
        ("static/none.png", "0000"),
        ("static/none.png", ""),
        (".twinpress/state/lock", "0000"),
    ],
)
def test_other_names_and_revisions_have_no_history_here(ann: Browser, file: str, revision: str) -> None:
    assert ann.post(RESTORE, {"file": file, "revision": revision}).status == 404


def test_a_file_that_differs_only_in_case_is_not_uploaded(ann: Browser) -> None:
    upload(ann, "static", "Boat.png", PNG)
    page = upload(ann, "static", "boat.png", PNG)
    assert (page.status, "only in case" in page.words) == (422, True)


def test_a_symbolic_link_is_neither_deleted_nor_replaced(dashboard: Dashboard, ann: Browser) -> None:
    other = root(dashboard).parent / "other"
    other.write_bytes(PNG)
    link = root(dashboard) / "static/link.png"
    link.symlink_to(other)
    deleted = ann.post(f"{FILES}/delete", {"file": "static/link.png"})
    for page in (deleted, upload(ann, "static", "link.png", PNG)):
        assert page.status in {409, 422}
        assert "a symbolic link" in page.words
    assert link.is_symlink()
    assert other.read_bytes() == PNG


def test_the_present_version_of_a_file_is_not_offered_to_be_restored(ann: Browser) -> None:
    upload(ann, "static", "boat.png", PNG)
    upload(ann, "static", "boat.png", PNG + b"2")
    page = ann.get(f"{FILES}/history?path=static/boat.png")
    assert "Restore this version" not in page.words
    assert "Restore the file as it was before" in page.words
