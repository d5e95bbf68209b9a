from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.frontmatter import FIELDS, split
from builder.frontmatter.join import join

WRITTEN = """\
---
# What this page is about
title: "Hello"   # shown in the header
tags:
  - one
  - two

# Order
sidebar_position: 3
'draft': false
---
Text
"""


def test_a_changed_key_changes_only_its_own_lines() -> None:
    values = split(WRITTEN, "").frontmatter | {"title": "New: title"}
    changed = WRITTEN.replace('"Hello"', "'New: title'")
    assert join(values, "Text\n", WRITTEN) == changed


def test_a_changed_list_changes_only_its_own_lines() -> None:
    values = split(WRITTEN, "").frontmatter | {"tags": ["three"]}
    changed = WRITTEN.replace("  - one\n  - two\n", "- three\n")
    assert join(values, "Text\n", WRITTEN) == changed


def test_a_key_that_goes_takes_only_its_own_lines_along() -> None:
    values = split(WRITTEN, "").frontmatter
    del values["tags"], values["draft"]
    changed = WRITTEN.replace("tags:\n  - one\n  - two\n", "").replace("'draft': false\n", "")
    assert join(values, "Text\n", WRITTEN) == changed


def test_a_new_key_comes_last() -> None:
    values = split(WRITTEN, "").frontmatter | {"hide_title": True}
    assert join(values, "Text\n", WRITTEN) == WRITTEN.replace("false\n---", "false\nhide_title: true\n---")


UNREADABLE = [
    ("a: .nan\ntitle: x\n", {"title": "y"}, "title: y\n"),
    ("title: x\na: !foo bar\n1: z\n~: z\n# kept\n", {"title": "y"}, "title: y\n# kept\n"),
    ("a: .nan # why\ntitle: x\n", {"title": "x", "a": 1}, "a: 1 # why\ntitle: x\n"),
    ("nav: [a, .nan]\ntitle: x # t\n", {"nav": ["a"], "title": "y"}, "nav:\n- a\ntitle: y # t\n"),
    ("title: a\nb: 1\ntitle: x\n", {"b": 1, "title": "y"}, "b: 1\ntitle: y\n"),
    ("title: a\nb: 1\ntitle: x # t\n", {"b": 2, "title": "x"}, "b: 2\ntitle: x # t\n"),
    ("d: 2024-13-45\ntitle: x\n", {}, ""),
    ("? [a]\n: b\ntitle: x\n", {"title": "y"}, "title: y\n"),
    ("a: &n .nan\nb: *n\ntitle: x\n", {"title": "y"}, "title: y\n"),
]


@pytest.mark.parametrize(("block", "values", "made"), UNREADABLE)
def test_what_cannot_be_read_goes_when_others_change(
    block: str, values: dict[str, object], made: str
) -> None:
    text = f"---\n{block}---\n\nText"
    assert join(values, "Text", text) == (f"---\n{made}---\n\nText" if made else "Text")
    same_values = split(text, "").frontmatter
    if same_values != values:
        assert join(same_values, "Text", text) == text


def test_a_block_with_anchors_is_written_anew_when_it_cannot_be_edited() -> None:
    text = "---\ntitle: &t x\ndescription: *t\n---\nText"
    made = join({"title": "y", "description": "x"}, "Text", text)
    assert split(made, "").frontmatter == {"title": "y", "description": "x"}


def test_the_block_goes_when_nothing_is_left_in_it() -> None:
    assert join({}, "Text", "---\ntitle: x\n---\n\nText") == "Text"


def test_an_empty_block_stays() -> None:
    assert join({}, "New", "---\n---\nText") == "---\n---\nNew"


def test_broken_frontmatter_stays_until_there_is_new_one() -> None:
    text = "---\ntitle: a: b\n---\nText"
    assert join({}, "New", text) == "---\ntitle: a: b\n---\nNew"
    assert join({"title": "a"}, "New", text) == "---\ntitle: a\n---\n\nNew"


def test_line_ends_and_byte_order_mark_of_the_old_text_are_kept() -> None:
    text = "\ufeff---\r\ntitle: x\r\n---\r\n\r\nText\r\n"
    made = join({"title": "y", "draft": True}, "Text\r\n", text)
    assert made == "\ufeff---\r\ntitle: y\r\ndraft: true\r\n---\r\n\r\nText\r\n"


@pytest.mark.parametrize(
    "body", ["---\ntitle: x\n---\nText", "---\n---\n", "---\na: b: c\n---\n", "\ufeffText"]
)
def test_a_body_that_begins_like_frontmatter_gets_an_empty_block_before_it(body: str) -> None:
    made = join({}, body)
    assert made == f"---\n---\n\n{body}"
    assert (split(made, "").frontmatter, split(made, "").body) == ({}, body)


def test_emoji_and_letters_of_any_script_are_written_as_they_are() -> None:
    assert join({"title": "🚀 Größe 入門"}, "") == "---\ntitle: 🚀 Größe 入門\n---\n\n"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": math.nan}, "frontmatter.a: is no finite number"),
        ({"a": [1, math.inf]}, r"frontmatter.a\[1\]: is no finite number"),
        ({"a": {"b": 2**64}}, "frontmatter.a.b: is outside the range of 64 bit"),
        ({"a": "\ud800"}, "frontmatter.a: has half of a surrogate pair"),
        ({1: "a"}, "frontmatter: has the key 1"),
        ({"a": {2}}, "frontmatter.a: is a set"),
        ({"a": "x" * 70_000}, "longer than 64 KiB"),
        ({"a": [0] * 10_001}, "frontmatter.a: has more than 10,000 values"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(value: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        join(value, "")


def test_values_nested_too_deep_are_not_written() -> None:
    deep: list[Any] = []
    for _ in range(30):
        deep = [deep]
    assert split(join({"a": deep}, ""), "").frontmatter == {"a": deep}
    with pytest.raises(ValueError, match="deeper than 32"):
        join({"a": [deep]}, "")


NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    [
        "yes",
        "No",
        "~",
        "1_0",
        "0x1f",
        "12:30",
        "2024-01-01",
        "- a",
        "a: b",
        "#x",
        " x",
        "x\u00a0",
        "|",
        "<<",
        "=",
        "a\nb",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
MAPPINGS = st.dictionaries(TEXTS | st.sampled_from(list(FIELDS)), VALUES, max_size=5)


@given(MAPPINGS, st.text(st.characters(exclude_categories=["Cs"])))
def test_any_mapping_and_body_come_back_as_they_were(values: dict[str, Any], body: str) -> None:
    document = split(join(values, body), "")
    assert json.dumps(document.frontmatter) == json.dumps(values)
    assert document.body == body


@given(MAPPINGS, MAPPINGS, TEXTS, st.sampled_from(["\n", "\r\n"]))
def test_any_mapping_can_take_the_place_of_any_other(
    old: dict[str, Any], new: dict[str, Any], body: str, end: str
) -> None:
    previous = join(old, "Text").replace("\n", end)
    document = split(join(new, body, previous), "")
    assert json.dumps(document.frontmatter, sort_keys=True) == json.dumps(new, sort_keys=True)
    assert document.body == body
