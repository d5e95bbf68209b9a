from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.authoring.structs import Category
from server.sync.side import PageState, Side, Unread
from server.sync.three_way import (
    Choice,
    Verdict,
    compare_categories,
    compare_pages,
    decided,
    verdict,
)

CASES = json.loads(Path(__file__).with_name("three_way.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_three_values_tell_where_something_changed(case: dict[str, str | None]) -> None:
    assert verdict(case["base"], case["here"], case["there"]) == case["verdict"]


def side(unread: Unread | None = None, **pages: str) -> Side:
    states = {f"docs/{name}": PageState(content, f"r-{content}") for name, content in pages.items()}
    return Side(states, unread=unread or Unread())


def told(base: Side, here: Side, there: Side) -> dict[str, str]:
    return {change.path: change.verdict.value for change in compare_pages(base, here, there)}


def test_pages_that_are_the_same_are_no_changes() -> None:
    base, here, there = side(a="1", b="1", c="1"), side(a="2", b="1", c="2"), side(a="1", b="2", c="3")
    expected = {"docs/a": "here", "docs/b": "there", "docs/c": "conflict"}
    assert told(base, here, there) == expected


@pytest.mark.parametrize(
    ("unread", "left"),
    [
        (Unread(pages={"docs/a": "too large"}), {"docs/a/b", "docs/c"}),
        (Unread(folders={"docs/a": "a link"}), {"docs/a", "docs/c"}),
        (Unread(folders={"docs": "a link"}), set()),
        (Unread(categories={"docs/a": "no YAML"}), {"docs/a", "docs/a/b", "docs/c"}),
    ],
)
def test_what_cannot_be_read_counts_as_nothing(unread: Unread, left: set[str]) -> None:
    base = side(**{"a": "1", "a/b": "1", "c": "1"})
    assert set(told(base, side(unread), base)) == left
    assert set(told(base, base, side(unread))) == left


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ((), (), {"docs/g/a": "conflict", "docs/g/b": "conflict", "docs/h": "there"}),
        (("docs/g/a",), (), {"docs/g/a": "here", "docs/g/b": "conflict", "docs/h": "there"}),
        (("docs/g",), (), {"docs/g/a": "here", "docs/g/b": "here", "docs/h": "there"}),
        ((), (".",), {"docs/g/a": "there", "docs/g/b": "there", "docs/h": "there"}),
        (("docs/g/a",), ("docs/g",), {"docs/g/a": "here", "docs/g/b": "there", "docs/h": "there"}),
        (("docs/h", "docs/g/ab"), (), {"docs/g/a": "conflict", "docs/g/b": "conflict", "docs/h": "there"}),
    ],
)
def test_a_choice_settles_conflicts_and_nothing_else(
    ours: tuple[str, ...], theirs: tuple[str, ...], expected: dict[str, str]
) -> None:
    base = side(**{"g/a": "1", "h": "1"})
    here, there = side(**{"g/a": "2", "g/b": "2", "h": "1"}), side(**{"g/b": "3", "h": "2"})
    settled = decided(base, here, there, Choice(ours, theirs))
    assert told(settled, here, there) == expected
    assert all(not state.revision.startswith("r-2") for state in settled.pages.values())


def folder(**fields: object) -> Side:
    values = {"label": None, "position": None, "collapsed": None} | fields
    return Side(categories={"docs/g": Category("docs/g", **values)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("base", "here", "there", "expected"),
    [
        (folder(), folder(label="A"), folder(position=1), {"label": "here", "position": "there"}),
        (folder(), folder(label="A"), folder(label="B"), {"label": "conflict"}),
        (folder(label="A"), folder(label="B"), folder(label="A", collapsed=False),
         {"label": "here", "collapsed": "there"}),
        (Side(), folder(label="A"), Side(), {"label": "here"}),
        (folder(label="A", position=1), Side(), folder(label="A", position=2),
         {"label": "here", "position": "conflict"}),
        (folder(position=1), folder(position=1.0), folder(position=1), {}),
    ],
)  # fmt: skip
def test_categories_are_compared_field_by_field(
    base: Side, here: Side, there: Side, expected: dict[str, str]
) -> None:
    found = compare_categories(base, here, there)
    assert {one.name: one.verdict.value for one in found} == expected


@pytest.mark.parametrize(
    ("here", "gone"),
    [(Side(), {"label", "position"}), (folder(label="A"), set()), (folder(label="B"), set())],
)
def test_a_category_without_any_field_was_removed(here: Side, gone: set[str]) -> None:
    both = folder(label="A", position=1)
    found = compare_categories(both, here, both)
    assert {one.name for one in found if one.gone} == gone
    assert {one.verdict for one in found} == {Verdict.HERE}
