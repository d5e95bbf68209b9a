"""Requests that are proper HTTP, but not what anybody would send."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.authoring.inside import BASE, Hosted, hosted
from tests.sites import write_site

SITE = {"site.yml": "title: T\n", "docs/a.md": "# A\n"}
PAGE = b'{"path": "docs/x", "body": "Hello."}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server."""
    with hosted(write_site(tmp_path_factory.mktemp("site"), SITE)) as server:
        yield server


ODD = [
    (b"GET /api/v1/pages/ai/site HTTP/2.0", (), 400, "BAD_REQUEST"),
    (b"GET /api/v1/pages/ai/site", (), 400, "BAD_REQUEST"),
    (b"CONNECT /api/v1/pages/ai/site HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1 HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"POST /api/v1 HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1/ HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v2/pages/ai/site HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1/../../docs/a HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1/pages/../pages/ai/site HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1/pages/ai/site/ HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1/pages//ai/site HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1/pages/ai%2Fsite HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1/pages/AI/site HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /api/v1/x%ff%00%0d%0a HTTP/1.1", (), 404, "NOT_FOUND"),
    (b"GET /%61pi/v1/pages/ai/site HTTP/1.1", (), 200, "ok"),
    (b"GET /api/v1/pages/ai/site#part HTTP/1.1", (), 200, "ok"),
    (b"GET /api/v1/pages/ai/site? HTTP/1.1", (), 200, "ok"),
    (b"GET /api/v1/pages/ai/site?x=1 HTTP/1.1", (), 400, "INVALID_QUERY"),
    (b"GET /api/v1/pages/ai/page?path=docs/a&path=docs/a HTTP/1.1", (), 400, "INVALID_QUERY"),
    (b"GET /api/v1/pages/ai/page?Path=docs/a HTTP/1.1", (), 400, "INVALID_QUERY"),
    (b"GET /api/v1/pages/ai/page?path HTTP/1.1", (), 400, "INVALID_QUERY"),
    (b"GET /api/v1/pages/ai/page?path=docs/a;x=1 HTTP/1.1", (), 400, "INVALID_PATH"),
    (b"GET /api/v1/pages/ai/page?path=docs/a%ff HTTP/1.1", (), 400, "INVALID_PATH"),
    (b"GET /api/v1/pages/ai/page?path=docs/a%00 HTTP/1.1", (), 400, "INVALID_PATH"),
    (b"GET /api/v1/pages/ai/page?path=docs%2Fa HTTP/1.1", (), 200, "ok"),
    (b"GET /api/v1/pages/ai/page?p%61th=docs/%61 HTTP/1.1", (), 200, "ok"),
    (b"PUT /api/v1/pages/ai/page?dry_run=maybe HTTP/1.1", (), 400, "INVALID_QUERY"),
    (b"GET /api/v1/pages/ai/site HTTP/1.1", (b"Upgrade: websocket", b"Connection: Upgrade"), 200, "ok"),
    (b"GET /api/v1/pages/ai/site HTTP/1.1", (b"Upgrade: h2c", b"Connection: Upgrade"), 200, "ok"),
    (b"GET /api/v1/pages/ai/site HTTP/1.1", (b"Expect: wonders",), 200, "ok"),
    (b"GET /api/v1/pages/ai/site HTTP/1.1", (b"X: \xff\xfe",), 200, "ok"),
    (b"GET /api/v1/pages/ai/site HTTP/1.1", (b"Accept: \xff;q=x,,;", b"Cookie: \xff"), 200, "ok"),
    (b"GET /api/v1/pages/ai/guide HTTP/1.1", (b"Accept: \xff;q=x,,;",), 200, "ok"),
    (b"GET /api/v1/pages/ai/page?path=docs/a HTTP/1.1", (b"Range: bytes=0-1",), 200, "ok"),
    (b"GET /api/v1/pages/ai/page?path=docs/a HTTP/1.1", (b"If-None-Match: \xff",), 200, "ok"),
]


@pytest.mark.parametrize(("line", "headers", "status", "code"), ODD)
def test_odd_but_readable_requests_get_an_envelope(
    server: Hosted, line: bytes, headers: tuple[bytes, ...], status: int, code: str
) -> None:
    answer = server.raw(server.head(line, *headers) + b"\r\n")
    assert (answer.status, answer.code) == (status, code)


TYPES = [
    (b"", 200),
    (b"Content-Type: application/json", 200),
    (b'Content-Type: APPLICATION/JSON ; Charset="UTF-8"', 200),
    (b"Content-Type: application/json; charset=utf8; x=y", 200),
    (b"Content-Type: application/json; charset=latin-1", 415),
    (b"Content-Type: application/json; charset=\xff", 415),
    (b"Content-Type: application/x-www-form-urlencoded", 415),
    (b"Content-Type: text/json", 415),
    (b"Content-Type: application/problem+json", 415),
    (b"Content-Type: multipart/form-data", 415),
    (b"Content-Type:", 415),
    (b"Content-Type: json", 415),
    (b"Content-Type: \xff", 415),
    (b"Content-Encoding: identity", 200),
    (b"Content-Encoding: gzip", 415),
    (b"Content-Encoding: \xff", 415),
]


@pytest.mark.parametrize(("header", "status"), TYPES)
def test_a_body_must_be_plain_json(server: Hosted, header: bytes, status: int) -> None:
    line = b"PUT /api/v1/pages/ai/page?dry_run=true HTTP/1.1"
    headers = [header, b"Content-Length: %d" % len(PAGE)] if header else [b"Content-Length: %d" % len(PAGE)]
    answer = server.raw(server.head(line, *headers) + b"\r\n" + PAGE)
    assert answer.status == status
    assert answer.code == ("ok" if status == 200 else "UNSUPPORTED_MEDIA_TYPE")


def test_the_body_is_asked_for_only_when_all_else_is_well(server: Hosted) -> None:
    for key, code in (("", "MISSING_KEY"), (server.long, "UNSUPPORTED_MEDIA_TYPE")):
        lines = ["PUT /api/v1/pages/ai/page HTTP/1.1", "Host: localhost", "Expect: 100-continue"]
        lines += ["Content-Length: 100", "Content-Type: text/plain"]
        lines += [f"Authorization: Bearer {key}"] if key else []
        assert server.raw("\r\n".join([*lines, "", ""]).encode()).code == code


def test_head_is_get_without_a_body_and_other_methods_are_told_what_there_is(server: Hosted) -> None:
    target = f"{BASE}/ai/page?path=docs/a"
    got, head_only = server.ask("GET", target, server.long), server.ask("HEAD", target, server.long)
    assert (head_only.status, head_only.body) == (200, b"")
    for name in ("etag", "content-length", "content-type", "cache-control"):
        assert head_only.headers[name] == got.headers[name]
    assert server.ask("HEAD", f"{BASE}/ai/page?path=docs/none", server.long).status == 404
    for method in ("POST", "PATCH", "OPTIONS", "TRACE"):
        answer = server.ask(method, f"{BASE}/ai/page", server.long)
        assert (answer.status, answer.code) == (405, "METHOD_NOT_ALLOWED")
        assert answer.headers["allow"] == "DELETE, GET, HEAD, PUT"
    assert server.ask("GET", f"{BASE}/ai/category", server.long).headers["allow"] == "DELETE, POST"
    assert server.ask("HEAD", f"{BASE}/ai/category", server.long).headers["allow"] == "DELETE, POST"
