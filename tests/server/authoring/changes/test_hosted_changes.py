"""Whole changes of hosted sites: noted in the activity of their owner, bounded by the site's limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.authoring.site_key_limits import ClientLimits
from server.control import audit
from tests.server.api.raw import Raw
from tests.server.authoring.client import BASE
from tests.server.authoring.inside import UNLIMITED, Hosted, hosted
from tests.server.authoring.many_sites import ManySites, many_sites
from tests.sites import write_site
from tests.waiting import until

MOST = 8


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManySites]:
    data: Path = tmp_path_factory.mktemp("data")
    with many_sites(data) as found:
        yield found


def test_each_kind_of_change_is_in_the_activity_of_the_owner(service: ManySites) -> None:
    site, key = service.site(service.ann, "activity")
    writes = [{"op": "write", "path": f"docs/p{n}", "body": "Text.\n"} for n in range(2)]
    assert service.ask("POST", "/ai/changes?dry_run=true", key, {"changes": writes})[0] == 200
    assert service.ask("POST", "/ai/changes", key, {"changes": writes})[0] == 200
    edit = {"path": "docs/p0", "edits": [{"old": "Text", "new": "Words"}]}
    assert service.ask("POST", "/ai/edit", key, edit)[0] == 200
    assert service.ask("POST", "/ai/move", key, {"from": "docs/p0", "to": "docs/p9"})[0] == 200
    assert service.ask("POST", "/ai/move", key, {"from": "docs/none", "to": "docs/p8"})[0] == 404

    def noted() -> dict[str, int]:
        events = audit.events(service.database, service.ann.id)
        return {
            one.action: one.count for one in events if one.subject == site.id and one.action[:5] == "page."
        }

    until(lambda: len(noted()) == 3)
    assert noted() == {"page.change": 1, "page.write": 1, "page.move": 1}


def test_no_two_writers_pass_the_limit_of_pages_together(tmp_path: Path) -> None:
    limits = ClientLimits(pages=MOST, requests=UNLIMITED.requests)
    with hosted(write_site(tmp_path, {"docs/a.md": "A\n"}), limits) as server:

        def write(number: int) -> int:
            pages = [{"op": "write", "path": f"docs/n{number}/{n}", "body": "x"} for n in range(3)]
            return ask(server, pages).status

        with ThreadPoolExecutor(6) as pool:
            statuses = sorted(pool.map(write, range(6)))
        assert statuses == [200, 200, *[403] * 4]
        two = [{"op": "write", "path": f"docs/more{n}", "body": "x"} for n in range(2)]
        assert ask(server, two, "?dry_run=true").code == "PAGE_LIMIT_REACHED"
        assert ask(server, [*two, {"op": "delete", "path": "docs/a"}]).status == 200


def ask(server: Hosted, operations: list[dict[str, object]], query: str = "") -> Raw:
    body = json.dumps({"changes": operations}).encode()
    return server.ask("POST", f"{BASE}/ai/changes{query}", server.long, body)
