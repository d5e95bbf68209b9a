"""A service that is after the writer's machine: nothing is written but pages of the site."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from server.sync.run_sync import SyncRequest, synchronise
from server.sync.sync_desk import Direction
from server.sync.sync_report import SyncReport
from tests.server.app_thread import served
from tests.server.sync.world import HASTY, bodies

PATHS = (
    *("docs/../../evil", "../evil", "/tmp/evil", "docs/.git/config", "pages/../site", "docs/a\x00b"),
    *("docs/link/evil", "docs/" + "x" * 500, ".twinpress/state/x", "docs/con", "theme/page", "static/evil"),
)


def app(paths: tuple[str, ...], categories: tuple[str, ...]) -> web.Application:
    """A service with these pages, all of the same text, and something said about these folders."""

    async def site(_: web.Request) -> web.Response:
        told = [{"path": path, "label": "L", "position": None, "collapsed": None} for path in categories]
        pages = [{"path": path} for path in paths]
        return web.json_response(
            {"ok": True, "data": {"site": {"id": "s", "categories": told}, "pages": pages}}
        )

    async def page(request: web.Request) -> web.Response:
        told = {"format": "md", "frontmatter": {}, "body": "Evil.\n", "llmBody": "Evil.\n"}
        data = {"path": request.query["path"], **told}
        return web.json_response({"ok": True, "data": data}, headers={"ETag": '"1"'})

    made = web.Application()
    made.router.add_get("/api/v1/pages/ai/site", site)
    made.router.add_get("/api/v1/pages/ai/page", page)
    return made


def run(direction: Direction, folder: Path, port: int) -> SyncReport:
    request = SyncRequest(direction, folder, "k", f"http://127.0.0.1:{port}", patience=HASTY)
    return asyncio.run(synchronise(request, lambda *_: None)).report


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if ".twinpress/" not in str(path)}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "a" / "site"
    (site / "docs").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (site / "docs/link").symlink_to(tmp_path / "outside")
    return site


def test_a_pull_writes_nothing_but_pages_of_the_site(tmp_path: Path, site: Path) -> None:
    with served(app((*PATHS, "docs/good"), (*PATHS, "docs/good"))) as port:
        report = run("pull", site, port)
    assert [(each.path, each.kind) for each in report.done] == [
        ("docs/good", "page"),
        ("docs/good", "category"),
    ]
    refused = {each.path for each in report.refused}
    assert {path for path in PATHS if path not in refused} == {"docs/link/evil"}
    assert "docs/link" in report.unread
    assert bodies(site) == {"docs/good": "Evil.\n"}
    assert everything(tmp_path / "outside") == set()
    pages = {"a/site/docs/good.md", "a/site/docs/good.llms.md", "a/site/docs/good/_category_.yml"}
    folders = {"a", "outside", "a/site", "a/site/docs", "a/site/docs/link", "a/site/docs/good"}
    own = {"a/site/.twinpress", "a/site/.twinpress-sync.json"}
    assert everything(tmp_path) == pages | folders | own


def test_a_folder_for_the_state_that_is_a_link_is_refused(tmp_path: Path, site: Path) -> None:
    (site / ".twinpress").symlink_to(tmp_path / "outside")
    with served(app(("docs/good",), ())) as port, pytest.raises(Exception, match="link"):
        run("pull", site, port)
    assert everything(tmp_path / "outside") == set()
