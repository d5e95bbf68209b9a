"""One document describes all APIs of an application, and one page each of them."""

from __future__ import annotations

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.api.describe.openapi import document
from server.api.describe.reference import page
from server.http.error_codes import STATUS, meanings, ordered
from tests.server.api.boats import BOATS, DESCRIBED, HARBOURS

WHOLE = DESCRIBED.document


def test_the_document_of_two_apis_is_valid() -> None:
    OpenAPIV31SpecValidator(WHOLE).validate()


def test_each_operation_says_whose_keys_it_takes() -> None:
    assert WHOLE["components"]["securitySchemes"].keys() == {"boat_key", "harbour_key"}
    for path, methods in WHOLE["paths"].items():
        scheme, tag = ("boat_key", "boats") if path.startswith("/boats") else ("harbour_key", "harbours")
        for operation in methods.values():
            assert (operation["security"], operation["tags"]) == ([{scheme: []}], [tag])


def test_the_document_of_one_api_says_once_whose_keys_it_takes() -> None:
    alone = document([BOATS])
    assert alone["security"] == [{"boat_key": []}]
    assert "security" not in alone["paths"]["/boats/boat"]["get"]


def test_an_api_is_described_with_its_own_codes_and_headers_alone() -> None:
    boats, harbours = document([BOATS]), document([HARBOURS])
    for described, header, code in ((boats, True, False), (harbours, False, True)):
        assert ("ETag" in described["components"]["headers"]) is header
        codes = described["components"]["schemas"]["Failure"]["properties"]["code"]["enum"]
        assert ("DASHBOARD_ONLY" in codes) is code
        assert codes == ordered(codes)


def test_what_is_always_refused_is_described_by_its_refusals_alone() -> None:
    assert min(WHOLE["paths"]["/coast/harbours/{id}"]["delete"]["responses"]) == "400"


def test_a_code_without_a_status_is_noticed() -> None:
    assert all(meanings({code: "It is so."})[code] for code in STATUS)
    with pytest.raises(KeyError):
        meanings({"UNHEARD_OF": "It is so."})


SHOWN = [
    'path="/coast/harbours/{id}"',
    '<Params title="Path">\n  <Param name="id" type="string" required>',
    "curl https://x.example/api/v1/coast/harbours/haven",
    "-H 'Idempotency-Key: it'\"'\"'s one'",
    "| 403 | `DASHBOARD_ONLY` | People alone may do this. |",
    "| `DELETE /coast/harbours/{id}` | Close a harbour | 403 `DASHBOARD_ONLY` |",
]


@pytest.mark.parametrize("text", SHOWN)
def test_the_page_of_an_api_has(text: str) -> None:
    assert text in page(HARBOURS, "---\ntitle: Harbours\n---\n", "https://x.example")


def test_the_page_of_an_api_has_nothing_of_another() -> None:
    shown = page(HARBOURS, "", "https://x.example").lower()
    assert "what no key may do" not in page(BOATS, "", "https://x.example").lower()
    assert "boat" not in shown
    assert "etag" not in shown
