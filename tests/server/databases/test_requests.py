"""Requests as they come: odd addresses, bodies and methods, and what every answer has."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.server.api.raw import Raw, read
from tests.server.service.hosting import BASE, DATABASES, Client, Service, hosting
from tests.server.service.place import data_folder
from tests.waiting import PATIENCE, until

SOME = "db_aaaaaaaaaaaaaaaa"


@pytest.fixture(scope="module")
def asker(service: Service) -> Client:
    """A client of an account that has one database, of which all is known: no answer grows any more."""
    client = service.client()
    client.create("first")
    until(lambda: client.list()["databases"][0]["size_bytes"] is not None)
    return client


def raw(client: Client, line: bytes, *headers: bytes, body: bytes = b"") -> Raw:
    """The first answer to a request that is sent as it stands."""
    own = (b"Host: localhost", f"Authorization: Bearer {client.key}".encode(), *headers)
    with socket.create_connection(("127.0.0.1", client.service.preview.port), PATIENCE) as connection:
        connection.sendall(b"\r\n".join([line, *own, b"", body]))
        return read(connection, bodiless=line.startswith(b"HEAD "))


ODD = [
    (b"GET /api/v1/db/databases/%s HTTP/1.1" % SOME.encode(), 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/.. HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/%2e%2e HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/%00 HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/%ff HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/%ud800 HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/%ED%A0%80 HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/%F0%9F%90%98 HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/%0d%0aSet-Cookie:x HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/' HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/a%2Fb HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/postgres HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/" + b"a" * 7000 + b" HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"GET /api/v1/db/databases/" + b"a" * 9000 + b" HTTP/1.1", 400, "BAD_REQUEST"),
    (b"POST /api/v1/db/databases/%00/rotate HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"POST /api/v1/db/databases/%ff/rotate HTTP/1.1", 404, "DATABASE_NOT_FOUND"),
    (b"DELETE /api/v1/db/databases/%00 HTTP/1.1", 403, "DASHBOARD_ONLY"),
    (b"GET /api/v1/db/databases/ HTTP/1.1", 404, "NOT_FOUND"),
    (b"GET /api/v1/db/databases// HTTP/1.1", 404, "NOT_FOUND"),
    (b"GET /api/v1/db/databases/a/b HTTP/1.1", 404, "NOT_FOUND"),
    (b"GET /api/v1/db HTTP/1.1", 404, "NOT_FOUND"),
    (b"GET /api HTTP/1.1", 404, "NOT_FOUND"),
    (b"GET /api/v1/DB/databases HTTP/1.1", 404, "NOT_FOUND"),
    (b"GET /api/v1/pages/ai/site HTTP/1.1", 401, "BAD_KEY"),
    (b"GET /api/../healthz HTTP/1.1", 404, "NOT_FOUND"),
    (b"GET /api/v1/d%62/databases HTTP/1.1", 200, "ok"),
    (b"GET /api/v1/db%2Fdatabases HTTP/1.1", 404, "NOT_FOUND"),
    (b"GET /api/v1/db/databases?limit=1&limit=1 HTTP/1.1", 400, "INVALID_QUERY"),
    (b"GET /api/v1/db/databases?Limit=1 HTTP/1.1", 400, "INVALID_QUERY"),
    (b"GET /api/v1/db/databases? HTTP/1.1", 200, "ok"),
    (b"GET /api/v1/db/databases HTTP/2.0", 400, "BAD_REQUEST"),
    (b"GET /api/v1/db/databases", 400, "BAD_REQUEST"),
    (b"CONNECT /api/v1/db/databases HTTP/1.1", 404, "NOT_FOUND"),
]


@pytest.mark.parametrize(("line", "status", "code"), ODD, ids=lambda one: str(one)[:60])
def test_odd_but_readable_addresses_get_an_envelope(
    asker: Client, line: bytes, status: int, code: str
) -> None:
    answer = raw(asker, line)
    assert (answer.status, answer.code) == (status, code), answer.body


@pytest.mark.parametrize("path", [f"{DATABASES}/%00", f"{DATABASES}/%ff", f"{DATABASES}/%ED%A0%80/rotate"])
def test_an_odd_id_is_kept_nowhere(asker: Client, path: str) -> None:
    before = asker.service.database.read("SELECT COUNT(*) FROM audit")
    asker.ask("POST" if path.endswith("rotate") else "GET", path)
    assert asker.service.database.read("SELECT COUNT(*) FROM audit") == before


METHODS = [
    (DATABASES, "GET, HEAD, POST"),
    (f"{DATABASES}/{SOME}", "DELETE, GET, HEAD"),
    (f"{DATABASES}/{SOME}/rotate", "POST"),
    (f"{BASE}/keys", "GET, HEAD, POST"),
    (f"{BASE}/keys/x", "DELETE"),
    (f"{BASE}/keys/x/rotate", "POST"),
]


@pytest.mark.parametrize(("path", "allowed"), METHODS)
def test_other_methods_are_told_which_there_are(asker: Client, path: str, allowed: str) -> None:
    for method in ("PUT", "PATCH", "OPTIONS", "TRACE"):
        answer = raw(asker, f"{method} {path} HTTP/1.1".encode())
        assert (answer.status, answer.code, answer.headers["allow"]) == (405, "METHOD_NOT_ALLOWED", allowed)


def test_head_is_get_without_a_body(asker: Client) -> None:
    (made,) = asker.list()["databases"]
    for path in (DATABASES, f"{DATABASES}/{made['id']}"):
        got = asker.ask("GET", path)
        head = raw(asker, f"HEAD {path} HTTP/1.1".encode())
        assert (head.status, head.body) == (200, b"")
        for name in ("content-length", "content-type", "cache-control"):
            assert head.headers[name] == got.headers[name]


BODIES = [
    (None, 201, "ok"),
    (b"{}", 201, "ok"),
    (b' {"name": null} ', 201, "ok"),
    (b"", 201, "ok"),
    (b" ", 400, "INVALID_JSON"),
    (b"null", 400, "INVALID_BODY"),
    (b"[]", 400, "INVALID_BODY"),
    (b'"name"', 400, "INVALID_BODY"),
    (b'{"name": 7}', 400, "INVALID_BODY"),
    (b'{"name": ["a"]}', 400, "INVALID_BODY"),
    (b'{"nam": "a"}', 400, "INVALID_BODY"),
    (b'{"name": "a", "plan": "free"}', 400, "INVALID_BODY"),
    (b'{"name": "a", "name": "a"}', 400, "INVALID_JSON"),
    (b'{"name": "a", "name": "b"}', 400, "INVALID_JSON"),
    (b'{"name": NaN}', 400, "INVALID_JSON"),
    (b'{"name": "\xff"}', 400, "INVALID_JSON"),
    (b'\xef\xbb\xbf{"name": "a"}', 400, "INVALID_JSON"),
    (b'{"name": "\\ud800"}', 400, "INVALID_JSON"),
    (b"[" * 70 + b"]" * 70, 400, "INVALID_JSON"),
    (b"name=a", 400, "INVALID_JSON"),
    (b'{"name": "' + b"a" * 20_000 + b'"}', 413, "BODY_TOO_LARGE"),
]


@pytest.mark.parametrize(("body", "status", "code"), BODIES, ids=lambda one: str(one)[:40])
def test_a_body_is_an_object_of_strict_json_or_none(
    client: Client, body: bytes | None, status: int, code: str
) -> None:
    reply = client.ask("POST", DATABASES, body)
    assert (reply.status, "ok" if reply.json["ok"] else reply.code) == (status, code)
    assert len(client.list()["databases"]) == (status == 201)


ROTATIONS = [
    (None, "ok"),
    (b"", "ok"),
    (b"{}", "ok"),
    (b'{"terminate_sessions": false}', "ok"),
    (b'{"terminate_sessions": null}', "INVALID_BODY"),
    (b'{"terminate_sessions": "true"}', "INVALID_BODY"),
    (b'{"terminate_sessions": 1}', "INVALID_BODY"),
    (b'{"terminate_sessions": true, "terminate_sessions": true}', "INVALID_JSON"),
    (b'{"name": "a"}', "INVALID_BODY"),
    (b"null", "INVALID_BODY"),
    (b"[]", "INVALID_BODY"),
]


@pytest.mark.parametrize(("body", "code"), ROTATIONS)
def test_a_rotation_with_another_body_rotates_nothing(asker: Client, body: bytes | None, code: str) -> None:
    (made,) = asker.list()["databases"]
    before = asker.reveal(made["id"])["password"]
    reply = asker.ask("POST", f"{DATABASES}/{made['id']}/rotate", body)
    assert ("ok" if reply.json["ok"] else reply.code) == code
    assert (asker.reveal(made["id"])["password"] == before) is (code != "ok")


TYPES = [
    (b"Content-Type: application/json", 400),
    (b"Content-Type: application/json; charset=utf-8", 400),
    (b"Content-Type: text/plain", 415),
    (b"Content-Type: application/x-www-form-urlencoded", 415),
    (b"Content-Encoding: gzip", 415),
    (b"Transfer-Encoding: gzip, chunked", 400),
]


@pytest.mark.parametrize(("header", "status"), TYPES)
def test_a_body_must_be_plain_json(asker: Client, header: bytes, status: int) -> None:
    length = () if b"Transfer" in header else (b"Content-Length: 4",)
    answer = raw(asker, b"POST /api/v1/db/databases HTTP/1.1", header, *length, body=b"null")
    refused = "BAD_REQUEST" if b"Transfer" in header else "INVALID_BODY"
    assert (answer.status, answer.code) == (status, refused if status == 400 else "UNSUPPORTED_MEDIA_TYPE")


def test_every_answer_has_an_id_of_its_own_and_may_not_be_kept(asker: Client) -> None:
    asked = [("GET", DATABASES), ("GET", "/api/none"), ("PUT", DATABASES), ("GET", f"{DATABASES}/x")]
    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda one: asker.ask(*one), asked * 10))
    replies += [asker.with_key(key).ask(*one) for key in ("", "x") for one in asked]
    assert len({reply.headers["x-request-id"] for reply in replies}) == len(replies)
    assert {reply.headers["cache-control"] for reply in replies} == {"no-store"}
    for reply in replies:
        asker.service.preview.says(reply.headers["x-request-id"])


@pytest.fixture(scope="module")
def limited() -> Iterator[Service]:
    """A service whose keys may ask five times in a minute."""
    with data_folder() as data, hosting(data, "--port", "0", "--requests", "5") as running:
        yield running


def test_a_key_that_asks_too_often_is_told_when_to_come_again(limited: Service) -> None:
    often, seldom = limited.client(), limited.client()
    other = often.with_key(limited.key(often.account))
    statuses = [often.ask("GET", path).status for path in (DATABASES, "/api/none", DATABASES, DATABASES)]
    assert statuses == [200, 404, 200, 200]
    assert often.ask("POST", DATABASES, b"no json").code == "INVALID_JSON"
    for method, path in (("GET", DATABASES), ("POST", DATABASES), ("GET", "/api/none"), ("PATCH", BASE)):
        reply = often.ask(method, path)
        assert (reply.status, reply.code) == (429, "RATE_LIMITED")
        assert 1 <= int(reply.headers["retry-after"]) <= 12
    assert json.loads(limited.preview.get("/healthz").body) == {"ok": True, "data": {"ready": True}}
    assert [other.ask("GET", DATABASES).status, seldom.ask("GET", DATABASES).status] == [200, 200]
    assert limited.database.read("SELECT COUNT(*) FROM databases") == [(0,)]
