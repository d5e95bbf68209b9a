from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.markdown.commonmark.headings import Slugger, plain
from builder.markdown.commonmark.parser import base
from builder.markdown.commonmark.slug import slugify
from tests.builder.bodies import rendered

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "headings.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "slug"), CASES["slugs"])
def test_a_slug_is_made_as_github_makes_it(text: str, slug: str) -> None:
    assert slugify(text) == slug


@pytest.mark.parametrize(
    ("title", "source", "entries", "refused"), CASES["pages"], ids=lambda value: str(value)[:40]
)
def test_headings_get_their_ids(title: str, source: str, entries: list[list[object]], refused: int) -> None:
    body = rendered(source, "md")
    assert [[entry.level, entry.id, entry.label] for entry in body.toc] == entries
    assert [found.code for found in body.diagnostics].count("heading-id-taken") == refused
    assert re.findall(r'<h[1-6] id="([^"]*)">', body.html) == [one[1] for one in entries]


@pytest.mark.parametrize(
    ("source", "heading"),
    [
        ("# A `b`\n\nc", "A b"),
        ("A\n=\n", "A"),
        ("[x]: /y\n\n# A", "A"),
        ("a\n\n# B", None),
        ("## A", None),
        ("> # A", None),
        ("", None),
    ],
)
def test_a_body_may_begin_with_its_heading(source: str, heading: str | None) -> None:
    assert rendered(source, "md").heading == heading


def test_components_say_what_their_text_is() -> None:
    tokens = base("md").parseInline("a b")[0].children or []
    tokens[0].meta = {"plain": "c"}
    tokens[0].type = "icon"
    assert plain(tokens) == "c"


@given(st.lists(st.tuples(st.text(max_size=8), st.text(alphabet="ab-1tp", max_size=4)), max_size=30))
def test_ids_are_given_out_once_and_never_the_themes(headings: list[tuple[str, str]]) -> None:
    slugger = Slugger()
    given_out = [slugger.claim(text, chosen) for text, chosen in headings]
    assert len(set(given_out)) == len(given_out)
    assert not any(one.startswith("tp-") or not one or " " in one for one in given_out)


def test_many_headings_of_one_name_take_no_longer_each() -> None:
    slugger = Slugger()
    given_out = [slugger.claim("a") for _ in range(20_000)]
    assert given_out[-1] == "a-19999"
