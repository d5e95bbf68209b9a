"""Nothing of what an author writes as a colour comes into the page, but a colour."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.callout import COLORS
from tests.components import tree
from tests.components.recorder import Recorder

BOX = re.compile(
    r'<div class="tp-callout"><p>x</p><svg color="#([0-9a-f]{6})" aria-hidden="true"></svg></div>'
)

HOSTILE = (
    "#12345g", "#1234567", "#12345", "#", "#fff;", "#fff}", "#fff/**/", "#fff !important", "##fff", "fff",
    "#fff\x00", "red;", "url(//a.example)", "var(--tp-bg)", "currentcolor", "transparent",
    "#fff #000", "</style><script>alert(1)</script>", '"><script>alert(1)</script>',
    "' onload='alert(1)", "\\23 fff", "&#35;fff", "#١٢٣", "#ﬀﬀﬀ", "rgb(0 0 0)", "light-dark(red,blue)",
    "red}*{x:y", "a" * 1000,
)  # fmt: skip


def edge(color: str) -> str:
    """The colour that the edge has, when the box is nothing else than usual."""
    html = tree.html({"component": "Callout", "color": color, "children": ["x"]}, Recorder())
    found = BOX.fullmatch(html.replace("\n", ""))
    assert found, html
    return found[1]


@pytest.mark.parametrize("color", HOSTILE)
def test_what_is_no_colour_leaves_nothing_in_the_page(color: str) -> None:
    assert edge(color) == COLORS["blue"]


@given(st.text() | st.text("#0123456789abcdefABCDEF", max_size=8))
def test_whatever_is_given_the_edge_has_a_colour_and_nothing_else(color: str) -> None:
    digits = color.strip(" \t\r\n\f\v").lower().removeprefix("#")
    assert edge(color) in {*COLORS.values(), digits, "".join(digit * 2 for digit in digits)}


@pytest.mark.parametrize("name", COLORS)
def test_every_name_has_a_colour_of_its_own(name: str) -> None:
    assert edge(name.title()) == COLORS[name]
    assert list(COLORS.values()).count(COLORS[name]) == 1
