"""The sections that are read in twins: their titles, headings, anchors and texts, without marks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builder.search.twin_sections import has_sections, twin_page

CASES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("twins.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES.values(), ids=[*CASES])
def test_a_twin_is_read_as_its_page(case: dict[str, Any]) -> None:
    title, sections = twin_page(case["twin"])
    assert [title, *map(list, sections)] == [case["title"], *case["sections"]]


@pytest.mark.parametrize("case", CASES.values(), ids=[*CASES])
def test_a_twin_has_the_sections_that_are_read_in_it(case: dict[str, Any]) -> None:
    sections = [(anchor, heading, "") for anchor, heading, _ in case["sections"]]
    assert has_sections(case["twin"], case["title"], sections)
    assert not has_sections(case["twin"], f"{case['title']}!", sections)
    assert not has_sections(case["twin"], case["title"], [*sections, ("more", "More", "")])
    assert not has_sections(case["twin"], case["title"], [("x", "", ""), *sections[1:]])
