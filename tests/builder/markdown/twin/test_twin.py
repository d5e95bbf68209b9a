"""The twin: fixtures of source and markdown, and what must hold for any body."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.markdown.commonmark import raw_html
from builder.markdown.commonmark.parser import base
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.tags import tag_at
from components.registry import COMPONENTS
from tests.builder.bodies import rendered, text_of
from tests.builder.cases import Case, cases
from tests.builder.pages import bodies

MDX, MD = cases("twins", 2), cases("twins_md", 2)


def title(case: Case) -> str:
    return case.title


@pytest.mark.parametrize("case", MDX, ids=title)
def test_the_twin_of_an_mdx_body(case: Case) -> None:
    source, expected = case.parts
    assert rendered(source).twin == expected


@pytest.mark.parametrize("case", MD, ids=title)
def test_the_twin_of_an_md_body(case: Case) -> None:
    source, expected = case.parts
    assert rendered(source, "md").twin == expected


@pytest.mark.parametrize("case", MDX, ids=title)
def test_a_twin_is_its_own_twin(case: Case) -> None:
    """But for links, which are absolute already, and elements that `md` allows too."""
    twin = rendered(case.parts[0]).twin
    assert rendered(twin, "md").twin == twin


_SWALLOWS = re.compile(r"\s*<(?:[!?]|(?:script|style|pre|textarea)\b)", re.IGNORECASE)
"""Junk without an end: text in `mdx`, but to a parser of plain markdown all that follows belongs to it."""


def component_tags(markdown: str) -> list[str]:
    """The component tags that stand outside code and escapes, as a parser of markdown sees them."""
    raw: list[str] = []
    parser = base("md")
    parser.disable(raw_html.RULE)  # which would take them away
    for token in parser.parse(markdown, {}):
        pieces = [token] if token.type == "html_block" else token.children or []
        raw += [piece.content for piece in pieces if piece.type in {"html_block", "html_inline"}]
    return [
        piece[found.start() :]
        for piece in raw
        if not _SWALLOWS.match(piece)
        for found in re.finditer(r"</?([A-Z]\w*)", piece)
        if found[1] in COMPONENTS and tag_at(Braces(piece), found.start())
    ]


@pytest.mark.parametrize("premium", [True, False])
@pytest.mark.parametrize("case", MDX, ids=title)
def test_no_component_tag_is_left_outside_code(case: Case, premium: bool) -> None:
    assert component_tags(rendered(case.parts[0], premium=premium).twin) == []


@given(bodies(), st.booleans())
def test_every_marked_word_of_the_page_is_in_its_twin(source: str, premium: bool) -> None:
    body = rendered(source, premium=premium)
    shown = set(re.findall(r"w\d+q", text_of(body.html)))
    assert shown <= set(re.findall(r"w\d+q", body.twin))
