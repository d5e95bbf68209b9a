"""`If-Match` and `If-None-Match`, as RFC 9110 and as people write them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.server.api.raw import Raw
from tests.server.authoring.inside import BASE, Hosted, hosted
from tests.sites import write_site

OTHER = "0" * 32
PAGE = f"{BASE}/ai/page?path=docs/a"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    root = write_site(tmp_path_factory.mktemp("site"), {"site.yml": "title: T\n", "docs/a.md": "A\n"})
    with hosted(root) as server:
        yield server


def put(server: Hosted, path: str, **headers: str) -> Raw:
    """Write the same page again."""
    body = json.dumps({"path": path, "format": "md", "body": "A\n"}).encode()
    return server.ask("PUT", f"{BASE}/ai/page", server.long, body, **headers)


def filled(value: str, server: Hosted) -> str:
    """A header's value, with the page's revision in it."""
    tag = server.ask("GET", PAGE, server.long).headers["etag"]
    return value.replace("OLD", OTHER).replace("NOW", tag.strip('"'))


PUTS = [
    ("If-Match", '"NOW"', 200, ""),
    ("If-Match", "NOW", 200, ""),
    ("If-Match", '"OLD", "NOW"', 200, ""),
    ("If-Match", "OLD, NOW", 200, ""),
    ("If-Match", ' ,, "NOW" , ', 200, ""),
    ("If-Match", "*", 200, ""),
    ("If-Match", '"*"', 412, "read it again"),
    ("If-Match", '"OLD"', 412, "read it again"),
    ("If-Match", "OLD", 412, "read it again"),
    ("If-Match", 'W/"NOW"', 412, "without the `W/`"),
    ("If-Match", "yesterday", 412, "in quotes"),
    ("If-Match", '"NOW', 412, "in quotes"),
    ("If-Match", "NOWNOW", 412, "in quotes"),
    ("If-None-Match", '"NOW"', 412, "another"),
    ("If-None-Match", "NOW", 412, "another"),
    ("If-None-Match", 'W/"NOW"', 412, "another"),
    ("If-None-Match", '"OLD", "NOW"', 412, "another"),
    ("If-None-Match", "*", 412, "exists already"),
    ("If-None-Match", '"*"', 200, ""),
    ("If-None-Match", '"OLD"', 200, ""),
    ("If-None-Match", "yesterday", 400, "If-None-Match: expected"),
    ("If-None-Match", '"NOW', 400, "If-None-Match: expected"),
    ("If-None-Match", '*, "NOW"', 400, "If-None-Match: expected"),
]


@pytest.mark.parametrize(("name", "value", "status", "said"), PUTS)
def test_a_page_is_written_when_the_condition_holds(
    server: Hosted, name: str, value: str, status: int, said: str
) -> None:
    for query in ("", "?dry_run=true"):
        body = json.dumps({"path": "docs/a", "format": "md", "body": "A\n"}).encode()
        headers = {name: filled(value, server)}
        answer = server.ask("PUT", f"{BASE}/ai/page{query}", server.long, body, **headers)
        assert answer.status == status, answer.body
        assert said in str(answer.envelope.get("error", ""))


def test_no_revision_matches_where_there_is_no_page(server: Hosted) -> None:
    for value in ("*", f'"{OTHER}"', OTHER):
        answer = put(server, "docs/none", If_Match=value)
        assert (answer.status, answer.code) == (412, "REVISION_MISMATCH")
        assert "there is no page yet" in str(answer.envelope["error"])


GETS = [
    ('"NOW"', 304),
    ('W/"NOW"', 304),
    ("NOW", 304),
    ("*", 304),
    ('"OLD", "NOW"', 304),
    ('"OLD"', 200),
    ('"*"', 200),
    ("yesterday", 200),
]


@pytest.mark.parametrize(("value", "status"), GETS)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_page_that_the_client_has_is_not_sent_again(
    server: Hosted, method: str, value: str, status: int
) -> None:
    wanted = filled(value, server)
    answer = server.ask(method, PAGE, server.long, If_None_Match=wanted)
    assert answer.status == status
    assert answer.headers["etag"] == filled('"NOW"', server)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-request-id"]
    if status == 304:
        assert answer.body == b""
        assert "content-length" not in answer.headers


def test_a_page_is_removed_when_the_condition_holds(server: Hosted) -> None:
    put(server, "docs/b")
    target = f"{BASE}/ai/page?path=docs/b"
    revision = server.ask("GET", target, server.long).headers["etag"].strip('"')
    assert server.ask("DELETE", target, server.long, If_None_Match=revision).status == 412
    assert server.ask("DELETE", target, server.long, If_Match=OTHER).status == 412
    assert server.ask("DELETE", target, server.long, If_Match=revision).status == 200
