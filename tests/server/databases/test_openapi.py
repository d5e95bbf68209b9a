"""The document that describes the API is valid, true, and made of the table that the routes are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.api.describe.openapi import document
from server.api.describe.table import DOCUMENT, Endpoint, Group
from server.authoring.group import GROUP as PAGES
from server.databases.database_endpoints import ENDPOINTS
from server.databases.database_group import EXAMPLES, GROUP
from server.http.error_codes import STATUS
from tests.server.api.contract import assert_schemathesis, lasting
from tests.server.service.hosting import BASE, DATABASES, DESCRIBED, Client, Service

HERE = Path(__file__).parent
GROUPS = ([GROUP], [PAGES, GROUP], [GROUP, PAGES])
OF_THE_DAY = {
    *("id", "database", "user", "host", "port", "version", "sslmode", "password", "connection_uri"),
    *("size_bytes", "storage_limit_bytes", "connection_limit"),
    *("created_at", "updated_at", "password_rotated_at"),
}
"""Fields that no document can know of a database."""


@pytest.fixture(scope="module")
def asker(service: Service) -> Client:
    """A client of an account with one database."""
    client = service.client()
    client.create("orders")
    return client


@pytest.mark.parametrize("groups", GROUPS, ids=["databases", "both", "both, the other way"])
def test_the_document_is_valid_alone_and_with_the_other_api(groups: list[Group]) -> None:
    OpenAPIV31SpecValidator(document(groups)).validate()


@pytest.mark.parametrize("groups", GROUPS, ids=["databases", "both", "both, the other way"])
def test_the_examples_are_as_the_schemas_say(groups: list[Group]) -> None:
    made = document(groups)
    examples = list(_examples(made))
    assert len(examples) >= 4
    for schema, example in examples:
        Draft202012Validator({**schema, "components": made["components"]}).validate(example)


def _examples(value: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    """Each schema that stands beside an example, and the example."""
    if isinstance(value, dict):
        if "example" in value and "schema" in value:
            yield value["schema"], value["example"]
        for one in value.values():
            yield from _examples(one)
    elif isinstance(value, list):
        for one in value:
            yield from _examples(one)


def test_the_document_is_served_bare_and_without_a_key(service: Service) -> None:
    answer = service.preview.get(DOCUMENT)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert json.loads(answer.body) == DESCRIBED.document


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_the_parameters_of_an_endpoint_are_those_of_the_document(client: Client, endpoint: Endpoint) -> None:
    path = re.sub(r"\{\w+\}", "db_aaaaaaaaaaaaaaaa", endpoint.path)
    reply = client.ask(endpoint.method, f"{BASE}{path}?nonsense=1")
    if not endpoint.successes:  # refused whatever it is asked for
        assert reply.code == "DASHBOARD_ONLY"
        return
    known = re.search(r"\(known: (.*)\)", reply.json["error"])
    assert known
    assert tuple(re.findall("`(.*?)`", known[1])) == endpoint.query


def test_every_code_has_a_status_and_is_that_of_some_endpoint_but_for_the_one_that_says_there_is_none() -> (
    None
):
    described = {code for endpoint in ENDPOINTS for code in GROUP.codes(endpoint)}
    assert GROUP.meanings.keys() - described == {"NOT_FOUND"}
    assert GROUP.meanings.keys() <= STATUS.keys()


def test_the_examples_are_what_the_service_answers(asker: Client) -> None:
    assert {endpoint.operation for endpoint in ENDPOINTS} == EXAMPLES.keys()
    listed, revealed = asker.list(), asker.reveal(asker.list()["databases"][0]["id"])
    answers = {"databases": listed, "reveal_database": revealed}
    answers |= {"create_database": revealed, "rotate_database": revealed}
    for operation, told in answers.items():
        shown = _example(operation)
        assert lasting({"ok": True, "data": told}, OF_THE_DAY) == lasting(shown, OF_THE_DAY)


def _example(operation: str) -> Any:
    for methods in DESCRIBED.document["paths"].values():
        for one in methods.values():
            if one["operationId"] == operation:
                good = next(status for status in one["responses"] if status < "300")
                return one["responses"][good]["content"]["application/json"]["example"]
    raise AssertionError(operation)


def test_schemathesis_finds_nothing_to_complain_about(service: Service, tmp_path: Path) -> None:
    """All its checks and phases against a real service, with a fixed seed."""
    client = service.client()
    client.create("first")
    assert_schemathesis(HERE, service.preview.port, client.key, 10, tmp_path, "^/db/")
    made = [one["status"] for one in client.list()["databases"]]
    assert len(made) > 1
    assert set(made) == {"active"}
    assert client.ask("GET", DATABASES).status == 200
