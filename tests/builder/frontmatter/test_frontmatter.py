from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from builder.frontmatter import FIELDS, Document, Meta, split
from builder.frontmatter.join import join

CASES = json.loads((Path(__file__).parent / "frontmatter.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_split(case: dict[str, Any]) -> None:
    document = split(case["text"], "docs/a.md")
    assert document.frontmatter == case["frontmatter"]
    assert list(document.frontmatter) == list(case["frontmatter"])
    assert (document.body, document.first_line) == (case["body"], case["first_line"])
    found = sorted(document.diagnostics)
    assert [(each.code, each.line, each.column) for each in found] == [
        (code, line, column) for code, line, column, _ in case["diagnostics"]
    ]
    for each, (_, _, _, part) in zip(found, case["diagnostics"], strict=True):
        assert part in each.message
        assert each.file == "docs/a.md"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_page_joined_with_what_was_split_is_the_same_to_the_byte(case: dict[str, Any]) -> None:
    document = split(case["text"], "")
    assert join(document.frontmatter, document.body, case["text"]) == case["text"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_page_joined_anew_reads_the_same(case: dict[str, Any]) -> None:
    before = split(case["text"], "")
    after = split(join(before.frontmatter, before.body), "")
    assert (after.frontmatter, after.body) == (before.frontmatter, before.body)
    assert list(after.frontmatter) == list(before.frontmatter)


def test_fields_have_their_types_and_texts_are_one_line() -> None:
    text = "---\ntitle: |\n  Two\n  lines\ndescription: '  '\nsidebar_position: 3\nhide_title: true\n---\n"
    assert split(text, "").meta == Meta("Two lines", None, None, 3, True, False)


def test_a_field_of_the_wrong_kind_is_as_if_it_was_not_there() -> None:
    text = "---\ntitle: [a]\nsidebar_label: yes\nsidebar_position: x\nhide_title: 'true'\ndraft: 1\n---\n"
    assert split(text, "").meta == Meta(draft=True)  # which errs on the side of keeping a page out


def test_control_characters_do_not_get_into_a_title() -> None:
    assert split('---\ntitle: "a\\0b\\u202ec"\n---\n', "").meta.title == "a\ufffdb\u202ec"


def test_an_unknown_key_that_is_nearly_a_field_gets_a_hint() -> None:
    document = split("---\nsidebar_postion: 1\nTitle: x\nfoo: y\n---\n", "")
    assert [each.hint for each in document.diagnostics] == [
        "did you mean `sidebar_position`?",
        "did you mean `title`?",
        "",
    ]


def test_every_field_is_documented() -> None:
    assert list(FIELDS) == list(Meta.__struct_fields__)
    assert all(field.meaning.endswith(".") and field.example for field in FIELDS.values())


def test_a_document_can_be_sent_to_another_process() -> None:
    document = split("---\ntitle: 3\n---\nText", "docs/a.md")
    assert pickle.loads(pickle.dumps(document)) == document


LINES = st.lists(
    st.one_of(
        st.text(),
        st.sampled_from(
            [
                "---",
                "title: x",
                "draft: yes",
                "a: &a [*a]",
                "? [b]",
                "- c",
                "  d: e",
                "<<: *a",
                "f: .nan",
                "{",
                "]",
                "|",
                "\t",
            ]
        ),
    )
)


def check_total(text: str) -> Document:
    document = split(text, "docs/a.md")
    assert text.removeprefix("\ufeff").endswith(document.body)
    json.dumps(document.frontmatter, allow_nan=False)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert 1 <= document.first_line <= lines
    assert all(0 < each.line <= lines and each.column > 0 for each in document.diagnostics)
    assert join(document.frontmatter, document.body, text) == text
    return document


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_text_as_block_is_read_and_kept(lines: list[str], end: str) -> None:
    check_total(end.join(["---", *lines, "---", "Text"]))


@given(st.text())
@example("---\n---\r")
def test_any_text_is_read_and_kept(text: str) -> None:
    check_total(text)
    check_total(f"---\n{text}")


_BLOCKS = (
    "",
    "---\n---\n",
    "---\ntitle: A\n---\n",
    "---\ntitle: A\n---\n \n",
    "---\ntitle A\n---\n",
    "---\n[\n---\n",
)
_PAGES = st.tuples(st.sampled_from(_BLOCKS), st.text(alphabet="a-\n \ufeff", max_size=8)).map("".join)


@given(_PAGES, _PAGES)
def test_what_a_page_was_before_changes_nothing(before: str, now: str) -> None:
    assert split(now, "docs/a.md", split(before, "docs/a.md")) == split(now, "docs/a.md")
