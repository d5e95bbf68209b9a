"""Two APIs in one application: each path has its own keys, and everything else below `/api/` needs one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.api.served import OFTEN, Server, both


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """The application."""
    with both() as server:
        yield server


BOAT, HARBOUR = "/api/v1/boats/boat", "/api/v1/coast/harbours/haven"
ASKED = [
    ("GET", BOAT, "boat", 200, "ok"),
    ("GET", BOAT, "harbour", 401, "BAD_KEY"),
    ("GET", BOAT, "boat off", 401, "KEY_DISABLED"),
    ("GET", BOAT, "", 401, "MISSING_KEY"),
    ("GET", HARBOUR, "harbour", 200, "ok"),
    ("GET", HARBOUR, "boat", 401, "BAD_KEY"),
    ("GET", HARBOUR, "harbour off", 401, "KEY_DISABLED"),
    ("DELETE", HARBOUR, "boat", 401, "BAD_KEY"),
    ("DELETE", HARBOUR, "harbour", 403, "DASHBOARD_ONLY"),
    ("PUT", HARBOUR, "boat", 401, "BAD_KEY"),
    ("PUT", HARBOUR, "harbour", 405, "METHOD_NOT_ALLOWED"),
    ("GET", "/api/v1/co%61st/harbours/haven", "harbour", 200, "ok"),
    ("GET", "/api/v1/co%61st/harbours/haven", "boat", 401, "BAD_KEY"),
    ("GET", "/api/v1/boats/none", "harbour", 401, "BAD_KEY"),
    ("GET", "/api/v1/boats/none", "boat", 404, "NOT_FOUND"),
    ("GET", "/api/v1/coast/harbours/haven/more", "boat", 401, "BAD_KEY"),
    ("GET", "/api/v1/coast/harbours/haven/more", "harbour", 404, "NOT_FOUND"),
    ("GET", "/api/v1/coast%2Fharbours", "boat", 401, "BAD_KEY"),
    ("GET", "/api/v1/boats/../coast/harbours/haven", "boat", 404, "NOT_FOUND"),
    ("GET", "/api/v1/boats/../coast/harbours/haven", "harbour", 401, "BAD_KEY"),
    ("GET", "/api/v1/boatsmen", "harbour", 404, "NOT_FOUND"),
    ("GET", "/api/v1/none", "boat", 404, "NOT_FOUND"),
    ("GET", "/api/v1/none", "harbour", 404, "NOT_FOUND"),
    ("GET", "/api/v1/none", "harbour off", 401, "KEY_DISABLED"),
    ("GET", "/api/v1/none", "car", 401, "BAD_KEY"),
    ("GET", "/api/v1/none", "", 401, "MISSING_KEY"),
    ("GET", "/api", "", 401, "MISSING_KEY"),
    ("POST", "/api/v1/openapi.json", "", 401, "MISSING_KEY"),
    ("POST", "/api/v1/openapi.json", "harbour", 405, "METHOD_NOT_ALLOWED"),
    ("GET", "/api/v1%2Fopenapi.json", "", 401, "MISSING_KEY"),
]


@pytest.mark.parametrize(("method", "path", "key", "status", "code"), ASKED)
def test_a_path_is_opened_by_the_keys_of_its_api(
    server: Server, method: str, path: str, key: str, status: int, code: str
) -> None:
    got, headers, told = server.ask(method, path, key)
    assert (got, told.get("code", "ok")) == (status, code)
    assert headers["x-request-id"] == server.log[-1].id
    assert server.log[-1].key == (f"{key}…" if status != 401 else "")


def test_who_has_lost_the_way_is_told_where_all_apis_are(server: Server) -> None:
    _, _, told = server.ask("GET", "/api/v1/none", "boat")
    assert "the endpoints are below `/api/v1/boats` and `/api/v1/coast`" in told["error"]


def test_the_one_document_is_there_without_a_key(server: Server) -> None:
    status, _, told = server.ask("GET", "/api/v1/openapi.json")
    assert (status, [tag["name"] for tag in told["tags"]]) == (200, ["boats", "harbours"])


def test_a_body_that_need_not_be_there_may_be_left_out(server: Server) -> None:
    path = "/api/v1/coast/harbours"
    assert server.ask("POST", path, "harbour 1")[2] == {"ok": True, "data": {"name": "Haven"}}
    assert server.ask("POST", path, "harbour 1", b'{"name": "New"}')[2]["data"] == {"name": "New"}
    assert server.ask("POST", path, "harbour 1", b'{"nam": "New"}')[2]["code"] == "INVALID_BODY"
    assert server.ask("POST", path, "harbour 1", b" ")[2]["code"] == "INVALID_JSON"


def test_each_api_counts_the_requests_of_its_own_keys(server: Server) -> None:
    for _ in range(OFTEN):
        assert server.ask("GET", HARBOUR, "harbour often")[0] == 200
        assert server.ask("GET", BOAT, "boat often")[0] == 200
    status, headers, told = server.ask("GET", HARBOUR, "harbour often")
    assert (status, told["code"], int(headers["retry-after"]) >= 1) == (429, "RATE_LIMITED", True)
    assert server.ask("GET", "/api/v1/none", "harbour often")[0] == 429
    assert server.ask("GET", HARBOUR, "harbour seldom")[0] == 200
    assert server.ask("GET", BOAT, "boat often")[0] == 200
