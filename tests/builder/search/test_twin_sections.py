"""The sections that are read in twins: their titles, headings, anchors and texts, without marks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builder.search.twin_sections import SHOWN, has_sections, twin_page
from tests.time_bounds import processor_seconds

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


LONG = ("*", "_", "`", "` ", "<a ", "<!--", "[", "[a](", "\\", "~", "&", "a*", "> ", "| ", "#", "\n- ")


@pytest.mark.parametrize("piece", LONG)
def test_hostile_text_is_read_soon(piece: str) -> None:
    """The time for each of these grew with the square of the text, or some are much like those."""
    text = piece * (60_000 // len(piece))
    with processor_seconds(4):
        twin_page(f"# T {text}\n\nneedle {text}\n\n## {text}\n")
        has_sections(f"# T {text}\n\nneedle {text}\n\n## {text}\n", "T", [("", "", "")])


def test_a_section_is_no_longer_than_that_of_a_file() -> None:
    _, ((_, _, text),) = twin_page(f"# T\n\n{'word ' * 50_000}")
    assert text == ("word " * (SHOWN // 5)).strip()
