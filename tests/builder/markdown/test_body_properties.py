"""Properties of any text as a body, in both formats."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from builder.paths import Format
from tests.builder.bodies import faults, rendered, text_of
from tests.builder.pages import bodies

FORMATS: tuple[Format, ...] = ("md", "mdx")

STARTS = {
    "component-unclosed": "<", "component-unknown": "<", "component-unopened": "<",
    "component-misplaced": "<", "premium-hidden": "<", "expression-stripped": "{",
    "esm-stripped": "ie", "admonition-unknown": ":", "admonition-unclosed": ":",
    "icon-unknown": ":", "footnote-undefined": "[",
}  # fmt: skip
"""The text at the place of a finding, by its code."""


@pytest.mark.parametrize("form", FORMATS)
@given(text=st.text(max_size=300))
@example(text="\ud800")
@example(text="\ufeff# a")
def test_any_text_is_rendered(form: Format, text: str) -> None:
    body = rendered(text, form)
    assert isinstance(body.html, str)
    assert isinstance(body.twin, str)


@pytest.mark.parametrize("form", FORMATS)
@given(text=bodies())
def test_the_page_around_any_body_stays_intact(form: Format, text: str) -> None:
    assert [fault for fault in faults(rendered(text, form).html) if form == "mdx" or "frame" in fault] == []


@given(bodies(), st.booleans())
def test_findings_stand_where_their_construct_begins(text: str, premium: bool) -> None:
    lines = re.split(r"\r\n?|\n", text.replace("\0", "\ufffd"))
    for one in rendered(text, premium=premium).diagnostics:
        if one.code in STARTS:
            assert lines[one.line - 1][one.column - 1] in STARTS[one.code], one


@given(bodies(junk=False))
def test_every_word_outside_code_and_tags_is_shown(text: str) -> None:
    shown = text_of(rendered(text).html)
    hidden = set(re.findall(r"w\d+q", " ".join(re.findall(r"```.*", text))))  # in the info of a fence
    assert set(re.findall(r"w\d+q", text)) - hidden <= set(re.findall(r"w\d+q", shown))


@given(bodies())
def test_rendering_twice_gives_the_same(text: str) -> None:
    assert rendered(text) == rendered(text)
