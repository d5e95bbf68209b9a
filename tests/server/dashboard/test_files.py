"""Files in the dashboard: uploaded by an allow-list of types, without anything that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.dashboard import file_pages
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard

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


def test_a_file_that_is_too_large_is_refused(ann: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_pages, "MOST_BYTES", 10)
    assert upload(ann, "static", "boat.png", PNG * 2).status == 413


def test_pages_and_settings_are_not_deleted_as_files(ann: Browser) -> None:
    files = ("docs/index.mdx", "docs/guide/_category_.yml", ".twinpress/state/x", "static/none.png")
    assert [ann.post(f"{FILES}/delete", {"file": file}).status for file in files] == [400, 400, 404, 404]
    assert ann.get("/sites/quay-docs/pages/edit?path=docs/index").status == 200
