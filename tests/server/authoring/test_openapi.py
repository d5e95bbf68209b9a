"""The document that describes the API is valid, true, and made of the table that the routes are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import ValidationError
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.api.describe.table import DOCUMENT, VERSION_BASE, Endpoint
from server.authoring.group import ENDPOINTS, EXAMPLES, GROUP, SITE
from tests.server.api.contract import assert_schemathesis, lasting
from tests.server.authoring.client import BASE, Client, authoring
from tests.server.authoring.schema import DESCRIBED as SCHEMA
from tests.sites import write_site

HERE = Path(__file__).parent
DESCRIBED = SCHEMA.document
OTHER = ("GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS")
OF_THE_DAY = {*("id", "updated_at", "preview_url", "change", "undone_changes", "time", "next_cursor")}
"""Fields that no document can know of a site."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of the site that the examples are about."""
    site = write_site(tmp_path_factory.mktemp("site"), dict(SITE))
    with authoring(site, "--requests", "0", TWINPRESS_CHROMIUM="/none") as client:  # it costs seconds
        yield client


def test_the_document_is_valid() -> None:
    OpenAPIV31SpecValidator(DESCRIBED).validate()


def test_the_document_is_served_bare_and_without_a_key(client: Client) -> None:
    answer = client.preview.get(DOCUMENT)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert json.loads(answer.body) == DESCRIBED


def test_the_document_is_for_reading_alone(client: Client) -> None:
    reply = client.ask("POST", DOCUMENT, {})
    assert (reply.status, reply.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize("path", sorted({endpoint.path for endpoint in ENDPOINTS}))
def test_the_methods_of_a_path_are_those_of_the_document(client: Client, path: str) -> None:
    described = DESCRIBED["paths"][BASE.removeprefix(VERSION_BASE) + path]
    there = [method for method in OTHER if client.ask(method, BASE + path).status != 405]
    assert sorted(method.lower() for method in there) == sorted(described)
    refused = client.ask("PATCH", BASE + path)
    allowed = set(refused.headers["allow"].lower().split(", "))
    assert sorted(allowed - {"head"}) == sorted(described)  # HEAD goes with each GET


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_the_parameters_of_an_endpoint_are_those_of_the_document(client: Client, endpoint: Endpoint) -> None:
    reply = client.ask(endpoint.method, f"{BASE}{endpoint.path}?nonsense=1", {} if endpoint.body else None)
    known = re.search(r"\(known: (.*)\)", reply.json["error"])
    assert known
    assert tuple(re.findall("`(.*?)`", known[1])) == endpoint.query


def test_every_code_is_that_of_some_endpoint_but_for_the_one_that_says_there_is_none() -> None:
    described = {code for endpoint in ENDPOINTS for code in GROUP.codes(endpoint)}
    assert GROUP.meanings.keys() - described == {"NOT_FOUND"}


def test_the_examples_are_what_the_server_answers(client: Client) -> None:
    assert {endpoint.operation for endpoint in ENDPOINTS} == EXAMPLES.keys()
    for path, methods in DESCRIBED["paths"].items():
        for method, operation in methods.items():
            _assert_example(client, method.upper(), path, operation)


def _assert_example(client: Client, method: str, path: str, operation: dict[str, Any]) -> None:
    """Send the request that the document shows; its answer is the one shown, with the headers it names."""
    query = "&".join(
        f"{one['name']}={one['example']}" for one in operation.get("parameters", ()) if "example" in one
    )
    body = (
        operation["requestBody"]["content"]["application/json"]["example"]
        if "requestBody" in operation
        else None
    )
    reply = client.ask(method, f"{VERSION_BASE}{path}?{query}", body)
    shown = operation["responses"][str(reply.status)]["content"]["application/json"]["example"]
    if operation["operationId"] == "guide":
        assert reply.data["markdown"].startswith(shown["data"]["markdown"].rstrip("."))
        return
    assert lasting(reply.json, OF_THE_DAY) == lasting(shown, OF_THE_DAY)


NOT_DESCRIBED = [
    ("GET", "/ai/site", 404, {}, {"ok": False, "error": "", "code": "NOT_FOUND"}),
    ("GET", "/ai/site", 200, {"cache-control": "max-age=1"}, EXAMPLES["site"].result),
    ("GET", "/ai/site", 200, {"content-type": "text/html"}, EXAMPLES["site"].result),
    ("GET", "/ai/site", 200, {}, EXAMPLES["page"].result),
    ("GET", "/ai/page", 200, {"etag": "bare"}, EXAMPLES["page"].result),
    ("GET", "/ai/site", 401, {}, {"ok": False, "error": "", "code": "RATE_LIMITED"}),
    ("GET", "/ai/nothing", 404, {}, {"ok": False, "error": "", "code": "NOTHING"}),
]


@pytest.mark.parametrize(("method", "path", "status", "headers", "data"), NOT_DESCRIBED)
def test_an_answer_that_is_not_described_is_noticed(
    method: str, path: str, status: int, headers: dict[str, str], data: object
) -> None:
    good = {
        "x-request-id": "1",
        "cache-control": "no-store",
        "content-type": "application/json",
        "etag": '"1"',
        "www-authenticate": "Bearer",
    }
    value = data if isinstance(data, dict) else {"ok": True, "data": msgspec.to_builtins(data)}
    with pytest.raises((AssertionError, ValidationError)):
        SCHEMA.check(method, BASE + path, status, good | headers, json.dumps(value).encode())


def test_schemathesis_finds_nothing_to_complain_about(client: Client, tmp_path: Path) -> None:
    """All its checks and phases against a real server, with a fixed seed."""
    assert_schemathesis(HERE, client.preview.port, client.key, 25, tmp_path)
