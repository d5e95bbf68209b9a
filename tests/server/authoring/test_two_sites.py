"""Nothing but the key says which site a request is about."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.server.authoring.inside import BASE, Hosted, hosted
from tests.sites import write_site

OTHERS = ["site", "siteId", "site_id", "host", "tenant", "account", "key", "root"]
HEADERS = ["X-Site", "X-Site-Id", "X-Forwarded-Host", "Forwarded", "X-Original-URL", "X-Rewrite-URL",
           "Origin", "Referer", "Cookie", "X-HTTP-Method-Override", "X-Forwarded-Prefix"]  # fmt: skip


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hosted, Hosted]]:
    """Two sites, side by side."""
    ours, theirs = (
        write_site(
            tmp_path_factory.mktemp("pair") / name, {"site.yml": f"title: {name}\n", "docs/a.md": f"{name}\n"}
        )
        for name in ("ours", "theirs")
    )
    with hosted(ours) as one, hosted(theirs) as two:
        yield one, two


def selections(other: Hosted) -> Iterator[tuple[str, dict[str, str]]]:
    """Requests for a page that try to make it one of the other site: targets and headers."""
    page = f"{BASE}/ai/page?path=docs/a"
    yield page, {}
    for name in OTHERS:
        for value in (other.site, "theirs", other.long):
            yield f"{page}&{name}={value}", {}
    for name in HEADERS:
        for value in (other.site, f"host=127.0.0.1:{other.port}", f"site={other.site}"):
            yield page, {name: value}
    yield page, {"Host": f"127.0.0.1:{other.port}"}
    yield page, {"Host": f"{other.site}.localhost"}
    for authority in (f"127.0.0.1:{other.port}", f"{other.site}.localhost", f"user:{other.long}@localhost"):
        yield f"http://{authority}{page}", {}
    for path in ("../theirs/docs/a", f"{other.site}/docs/a", "docs/../../theirs/docs/a", "/docs/a"):
        yield f"{BASE}/ai/page?path={path}", {}
    yield f"/api/v1/sites/{other.site}/pages/ai/page?path=docs/a", {}


def test_nothing_in_a_request_selects_another_site(pair: tuple[Hosted, Hosted]) -> None:
    ours, theirs = pair
    seen = set()
    for target, headers in selections(theirs):
        answer = ours.ask("GET", target, ours.long, **headers)
        seen.add(answer.status)
        if answer.code == "ok":
            assert json.loads(answer.body)["data"]["body"] == "ours\n", (target, headers)
        refused = ours.ask("GET", target, theirs.long, **headers)
        assert refused.code == "BAD_KEY", (target, headers)
    assert seen == {200, 400, 404}


def test_a_body_selects_no_other_site_either(pair: tuple[Hosted, Hosted]) -> None:
    ours, theirs = pair
    for name in OTHERS:
        body = json.dumps({"path": "docs/a", "format": "md", "body": "x\n", name: theirs.site}).encode()
        assert ours.ask("PUT", f"{BASE}/ai/page", ours.long, body).code == "INVALID_BODY"
    assert (
        json.loads(theirs.ask("GET", f"{BASE}/ai/page?path=docs/a", theirs.long).body)["data"]["body"]
        == "theirs\n"
    )
