from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.category.file import CategoryFault, change, read
from builder.category.record import FILES, CategoryRecord

CASES = json.loads((Path(__file__).parent / "categories.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_read(case: dict[str, Any]) -> None:
    file = f"docs/guide/{case['file']}"
    record, found = read(case["text"], file, "docs/guide")
    assert record == CategoryRecord("docs/guide", *case["record"])
    assert [[each.code, each.line, each.column] for each in found] == case["diagnostics"]
    assert all(each.file == file for each in found)


def test_a_change_keeps_comments_and_what_is_not_known() -> None:
    text = "# Ours\nlabel: Guides # short\nlink: {type: none}\nposition: 1\n"
    changed = change(text, "_category_.yml", {"label": "How to", "position": None, "collapsed": True})
    assert changed == "# Ours\nlabel: How to # short\nlink: {type: none}\ncollapsed: true\n"


def test_a_change_of_a_json_file_stays_json() -> None:
    changed = change('{"label": "A", "link": {"x": [1]}}', "_category_.json", {"position": 2})
    assert json.loads(changed) == {"label": "A", "link": {"x": [1]}, "position": 2}


def test_nothing_is_left_when_all_is_cleared() -> None:
    assert change("label: A\n", "_category_.yml", {"label": None}) == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label": 1}, "label: expected text, found the number 1"),
        ({"position": "1"}, "position: expected a number"),
        ({"position": True}, "position: expected a number"),
        ({"position": float("nan")}, "position: is no finite number"),
        ({"position": 2**70}, "position: is outside"),
        ({"collapsed": "no"}, "collapsed: expected `true` or `false`"),
        ({"lable": "A"}, "lable: a category has no such field"),
        ({"label": "x" * 501}, "label: has 501 characters, and may have 500"),
        ({"label": "\ud800"}, "label: has half of a surrogate pair"),
    ],
)
def test_a_value_that_a_category_cannot_have_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        change("", "_category_.yml", changes)


@pytest.mark.parametrize("text", ["label: a: b\n", "- a\n", "{"])
def test_a_file_that_cannot_be_read_is_not_changed(text: str) -> None:
    with pytest.raises(CategoryFault):
        change(text, "_category_.yml", {"label": "A"})


LARGE = [
    ("x: 1\n" + "#" * (64 * 1024 - 20) + "\n", "would be longer than 64 KiB"),
    ("x: 1\n#" + "\u65e5" * 30_000 + "\n", "is longer than 64 KiB"),
]


@pytest.mark.parametrize(("text", "words"), LARGE, ids=[case[1] for case in LARGE])
def test_one_limit_in_bytes_holds_for_reading_and_writing(text: str, words: str) -> None:
    with pytest.raises(CategoryFault, match=words):
        change(text, "_category_.yml", {"label": "x" * 100})
    smaller = change(text[:20_000], "_category_.yml", {"label": "\u65e5" * 500})
    assert read(smaller, "_category_.yml", "docs/a")[0].label == "\u65e5" * 500


def test_a_value_that_another_one_refers_to_can_be_changed() -> None:
    changed = change("label: &a A\nother: *a\n", "_category_.yml", {"label": "B"})
    assert changed == "label: B\nother: A\n"


@pytest.mark.parametrize("file", FILES)
def test_a_byte_order_mark_stays(file: str) -> None:
    text = '\ufeff{"label": "A"}' if file.endswith("json") else "\ufefflabel: A\n"
    changed = change(text, file, {"label": "B"})
    assert changed.startswith("\ufeff")
    assert read(changed, file, "docs/a") == (CategoryRecord("docs/a", "B"), ())
    assert change(text, file, {"label": None}) == ""


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "label": st.none() | st.text(st.characters(exclude_categories=["Cs"])),
        "position": st.none()
        | st.integers(-(2**63), 2**63)
        | st.floats(allow_nan=False, allow_infinity=False),
        "collapsed": st.none() | st.booleans(),
    },
)


@given(st.lists(CHANGES, max_size=3), st.sampled_from(FILES))
def test_fields_that_are_set_are_read_back(all_changes: list[dict[str, Any]], file: str) -> None:
    text, wanted = "", {}
    for changes in all_changes:
        text = change(text, file, changes)
        wanted |= changes
        record, found = read(text, file, "docs/a")
        label = " ".join((wanted.get("label") or "").split()) or None
        assert record == CategoryRecord("docs/a", label, wanted.get("position"), wanted.get("collapsed"))
        is_blank = wanted.get("label") is not None and label is None
        assert [each.code for each in found] == ["value-empty"] * is_blank


@given(st.text(), st.sampled_from(FILES))
def test_any_text_is_read(text: str, file: str) -> None:
    record, _ = read(text, file, "docs/a")
    assert record.path == "docs/a"
