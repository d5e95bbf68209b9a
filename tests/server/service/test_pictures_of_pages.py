"""Pictures of pages in the service, which its operator has switched on."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from server.authoring.site_work import open_site_work
from server.control.keys.key_text import KeyKind
from server.control.plans import PLANS
from server.control.sqlite.data_folder import open_data
from tests.chromium import chromium
from tests.server.api.exchange import exchange
from tests.server.authoring.client import BASE
from tests.server.authoring.many_sites import OWNER
from tests.server.commands import twinpress
from tests.server.control.people import account
from tests.server.screenshots.pictures import browser, size
from tests.server.service.process import Host

WRONG = [("no-such-user-here", "there is no user"), ("root", "all rights")]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
@pytest.mark.parametrize(("user", "says"), WRONG)
def test_the_browser_has_neither_no_user_nor_root(tmp_path: Path, user: str, says: str) -> None:
    chromium()
    ended = twinpress("host", "--data", tmp_path / "data", "--picture-user", user, cwd=tmp_path)
    assert ended.returncode == 2
    assert says in ended.stderr


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_an_agent_sees_a_draft_that_it_has_written(tmp_path: Path) -> None:
    browser()
    data = tmp_path / "data"
    with closing(open_data(data)) as database, open_site_work(database, data, PLANS) as work:
        site = work.create(account(database).id, "quay-docs", OWNER)
        key = work.keys.create(KeyKind.LONG_LIVED, site.id, "", OWNER).text
    host = Host(data, arguments=("--no-databases", "--picture-user", "nobody"))
    host.start()
    try:
        page = {"path": "docs/berths", "body": "## Prices\n\nLow.\n", "frontmatter": {"draft": True}}
        assert host.ask("PUT", f"{BASE}/ai/page", key, page)[0] == 201
        target = f"{BASE}/ai/preview?path=docs/berths&width=390&full=true"
        reply = exchange(host.port, "GET", target, key, Accept="image/png")
        assert (reply.status, reply.headers["content-type"]) == (200, "image/png")
        assert size(reply.body)[0] == 390
        found = exchange(host.port, "GET", f"{target}&image=true&section=prices", key).data
        assert (found["preview_url"], found["no_image"]) == ("", "")
        assert 0 < found["image"]["height"] < 400
    finally:
        host.runs.close()
