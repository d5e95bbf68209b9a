"""The scanner: tags, braces, statements and literal values, each a pure function of text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.markdown.mdx.dedent_children import dedent
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.javascript import literal, statement_end
from builder.markdown.mdx.scan.pairs import pairs
from builder.markdown.mdx.scan.tags import tag_at

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "markup_scanner.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "expected"), CASES["tags"])
def test_a_tag_is_read(text: str, expected: list[Any] | None) -> None:
    tag = tag_at(Braces(text), 0)
    given = (
        {one.name: list(one.value) if isinstance(one.value, tuple) else one.value for one in tag.attributes}
        if tag
        else {}
    )
    assert (tag and [tag.kind, tag.name, tag.end, given]) == expected


@pytest.mark.parametrize(("text", "end"), CASES["braces"])
def test_braces_are_balanced(text: str, end: int) -> None:
    assert Braces(text).end(0) == end


@pytest.mark.parametrize(("text", "end"), CASES["statements"])
def test_a_statement_ends_where_it_ends(text: str, end: int) -> None:
    assert max(-1, statement_end(Braces(text), 0)) == end


@pytest.mark.parametrize(("source", "value"), CASES["values"])
def test_plain_data_is_read(source: str, value: object) -> None:
    assert json.dumps(literal(source)) == json.dumps(value)  # which tells 1 from true and from 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<A>a</A>", {0: "</A>"}),
        ("<A><A>a</A></A>", {0: "</A>", 3: "</A>"}),
        ("<A><B></A></B>", {0: "</A>", 3: None}),
        ("<A>`</A>`</A>", {0: "</A>"}),
        ("<A>\n```\n</A>\n```\n</A>", {0: "</A>"}),
        ("<A>\n- ```\n  </A>\n</A>", {0: "</A>"}),
        ("<A>\n> ```\n> </A>\n\n</A>", {0: "</A>"}),
        ("<A>{'</A>'}</A>", {0: "</A>"}),
        ("<A><!-- </A> --></A>", {0: "</A>"}),
        ("<A><script></A></script></A>", {0: "</A>"}),
        ("<A>\\</A></A>", {0: "</A>"}),
        ("<A/><br></A>", {}),
        ("::::note\n:::tip\n:::\n::::", {0: "::::", 9: ":::"}),
        (":::note\n:::tip\n:::\n:::", {0: ":::", 8: ":::"}),
        ("::::note\n:::tip\n::::", {0: "::::", 9: None}),
        ("a :::note\n:::", {}),
    ],
)
def test_openings_find_their_ends(text: str, expected: dict[int, str | None]) -> None:
    found, _ = pairs(Braces(text))
    assert {start: span and text[slice(*span)] for start, span in found.items()} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" a", "a"),
        ("\n  a\n    b\n", "\na\n  b\n"),
        ("\n\ta\n\t\tb", "\na\n\tb"),
        ("\n  a\n\tb", "\na\n  b"),
        ("\n    ```\n  a\n    ```", "\n```\na\n```"),
        ("\n\n  a\n \n  b", "\n\na\n\nb"),
        ("a\n  b", "a\nb"),
    ],
)
def test_children_lose_their_common_indentation(text: str, expected: str) -> None:
    assert dedent(text) == expected


markup = st.text(st.sampled_from("<>/{}`'\"\\=:.-!* \n\tAbc1é"), max_size=60)


@given(markup)
def test_scanners_stay_within_the_text(text: str) -> None:
    braces = Braces(text)
    for place, char in enumerate(text):
        if char == "{":
            end = braces.end(place)
            assert end == -1 or text[end - 1] == "}"  # -1 where nothing closes it
        if char == "<" and (tag := tag_at(braces, place)):
            assert text[tag.end - 1] == ">"
    spans = [(start, *span) for start, span in pairs(braces)[0].items() if span]
    assert all(start < begin < end <= len(text) for start, begin, end in spans)
    assert statement_end(braces, 0) <= len(text)


@given(st.text(st.sampled_from("a`~> \t\n-"), max_size=60))
def test_dedenting_only_takes_white_space_from_the_start_of_lines(text: str) -> None:
    before, after = text.split("\n"), dedent(text).split("\n")
    assert len(before) == len(after)
    assert all(line.strip() == found.strip() for line, found in zip(before, after, strict=True))
    assert all(line.rstrip().endswith(found.strip()) for line, found in zip(before, after, strict=True))
