"""Mistakes in YAML that cannot be read are named, with the way out; whatever the text, nothing raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder import config
from builder.category import file
from builder.frontmatter import split
from builder.yaml.nodes import MAX_TEXT
from builder.yaml.positions import place
from builder.yaml.safe import YamlFault, load

CASES = json.loads((Path(__file__).parent / "yaml_hints.json").read_text("utf-8"))
PIECES = [*":'\"[]{}\t\n\\!=@`x", "title", ": ", "- ", "  ", "\r\n", "&a", "*a"]


def fault_of(text: str) -> YamlFault | None:
    try:
        load(text)
    except YamlFault as fault:
        return fault
    return None


@pytest.mark.parametrize(("text", "line", "column", "message", "hint"), CASES)
def test_a_mistake_is_named_with_its_place_and_the_way_out(
    text: str, line: int, column: int, message: str, hint: str
) -> None:
    fault = fault_of(text) or load(text).faults[0]
    assert place(text, fault.index) == (line, column)
    assert message in fault.message
    assert hint in fault.hint


GOOD = [
    "title: 'a: b'",
    "a: &base {x: 1}\nb: *base",
    "a: &base text\nb: *base",
    "title: R&D",
    "title: R & D",
    "a: [b, c]\nd: {e: f}",
    "time: 12:30",
]


@pytest.mark.parametrize("text", GOOD)
def test_what_can_be_read_is_not_called_a_mistake(text: str) -> None:
    assert load(text).faults == ()


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ("title:Harbour\n", 2, "write `title: `, with a space"),
        ("draft=true\n", 2, "write `draft: `"),
        ("title: T\ndescription: a: b\n", 3, '`description: "a: b"`'),
    ],
)
def test_the_way_out_stands_at_the_page(text: str, line: int, hint: str) -> None:
    (found,) = split(f"---\n{text}---\nBody\n", "docs/a.md").diagnostics
    assert (found.code, found.line) == ("frontmatter-invalid", line)
    assert hint in found.hint


def test_a_draft_whose_marker_lacks_a_space_is_not_published() -> None:
    assert split("---\ndraft:true\n---\nBody\n", "docs/a.md").meta.draft


@pytest.mark.parametrize("text", ["---\nA line of text.\n---\n", "---\nnote: x=y\n", "---\n- a\n- b\n---\n"])
def test_text_between_two_rules_is_not_called_a_mistake(text: str) -> None:
    assert split(text, "docs/a.md").diagnostics == ()


def test_a_configuration_that_lacks_a_space_says_so() -> None:
    (found,) = config.load("title:Harbour\n")[1]
    assert (found.line, found.column, found.hint) == (1, 7, "write `title: `, with a space")


JSON = [
    ('{"label": "x",}', "delete the comma after the last field"),
    ("{'label': 'x'}", "put names into double quotes"),
    ('{label: "x"}', "put names into double quotes"),
    ('{"label": x}', "put texts into double quotes"),
    ('{"label": "x" "position": 1}', "put a comma between two fields"),
    ('{"label": "x}', 'close it with another `"`'),
    ('{"label": "x"', "and `}` at the end"),
    ('{"label" "x"}', "put a colon between"),
    ('{"label": "a\nb"}', "for a line break"),
    ('{"label": "a\\qb"}', "for a backslash"),
    ('{"label": "x"} x', "leave out what comes after"),
    ('{"label": "NaN",\n "position": NaN}', "write a number"),
]


@pytest.mark.parametrize(("text", "hint"), JSON)
def test_a_mistake_in_json_has_a_way_out(text: str, hint: str) -> None:
    (found,) = file.read(text, "docs/_category_.json", "docs")[1]
    assert hint in found.hint
    assert found.line >= 1


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_whatever_the_text_there_is_a_value_or_a_fault_with_a_way_out(text: str) -> None:
    fault = fault_of(text)
    assert fault is None or (fault.message and 0 <= fault.index <= len(text))


@pytest.mark.parametrize("filling", [" ", "a ", ": ", "- ", "''", "a", "[", "=", "x:", "\t", "&a "])
def test_a_long_line_is_looked_at_once(filling: str) -> None:
    """A way of looking that is quadratic takes minutes here."""
    line = f"k{filling * ((MAX_TEXT - 20) // len(filling))}"
    for text in (f"{line}\nb: c: d", f"b: c: d{line}", f"b: '{line}", f"{line}:"):
        fault = fault_of(text)
        assert fault is None or len(fault.hint) < 300
