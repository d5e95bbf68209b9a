"""The page about the API is the generated one, and has all that the API has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.api.describe.openapi import document
from server.databases.database_endpoints import ENDPOINTS
from server.databases.database_group import GROUP, MEANINGS
from server.databases.database_reference import PAGE, main, written
from server.http.error_codes import STATUS

DOCS = Path(__file__).parents[3] / "sample-site" / "docs"
TEXT = written()


def test_the_stored_page_is_the_generated_one() -> None:
    assert (DOCS / PAGE).read_text("utf-8") == TEXT, "run `make reference`"


def test_the_command_writes_the_page_below_its_folder(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / PAGE).read_text("utf-8") == TEXT


def test_the_command_without_a_folder_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: python -m server.databases.database_reference DIR" in capsys.readouterr().err


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=[one.operation for one in ENDPOINTS])
def test_the_page_has_every_endpoint(endpoint) -> None:
    path = GROUP.base + endpoint.path
    shown = (
        f'method="{endpoint.method}"\n  path="{path}"' if endpoint.result else f"`{endpoint.method} {path}`"
    )
    assert TEXT.count(shown) == 1


def test_the_page_has_every_field_and_code() -> None:
    for schema in document([GROUP])["components"]["schemas"].values():
        for name in schema.get("properties", ()):
            assert re.search(rf'name="[^"]*\b{name}"|[`"]{name}[`"]', TEXT), name
    for code, meaning in MEANINGS.items():
        assert f"| {STATUS[code]} | `{code}` | {meaning} |" in TEXT


def test_the_example_of_a_rotation_has_another_password() -> None:
    examples = GROUP.examples
    assert examples["rotate_database"].result.password != examples["reveal_database"].result.password
