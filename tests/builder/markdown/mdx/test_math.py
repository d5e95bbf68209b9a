"""Formulas in pages: where they are, where they are not, and what is told of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from builder.markdown.page import Body
from builder.search.part import text as seen
from tests.builder.bodies import faults, findings, rendered
from tests.time_bounds import processor_seconds

_ALTERNATIVE = re.compile(r'<math alttext="([^"]*)"( [^>]*display="block")?')


def page(text: str) -> Body:
    return rendered(text, extras={"math"})


def formulas(body: Body) -> list[str]:
    """The TeX of all formulas, between two dollars on each side for those on lines of their own."""
    return [f"$${tex}$$" if display else f"${tex}$" for tex, display in _ALTERNATIVE.findall(body.html)]


FOUND = {
    "in text": ("a $x$ b", ["$x$"]),
    "at the start and before a digit at the end": ("$x$ is 5", ["$x$"]),
    "behind a backslash at the end": (r"$x$ \\", ["$x$"]),
    "with braces and tags": ("$\\frac{a}{b<c>d}$ $a<b$ b>c", ["$\\frac{a}{b&lt;c&gt;d}$", "$a&lt;b$"]),
    "within emphasis": ("**a $x$ b** _$y$_", ["$x$", "$y$"]),
    "in the text of a link": ("[a $x$](./index.md)", ["$x$"]),
    "in a heading": ("## The $x$ of it", ["$x$"]),
    "in a cell": ("| a |\n| - |\n| $x$ |", ["$x$"]),
    "in an item": ("- $x$\n\n  $$\n  y\n  $$\n", ["$x$", "$$y$$"]),
    "in a quote": ("> $x$\n>\n> $$\n> y\n> $$", ["$x$", "$$y$$"]),
    "in a footnote": ("a[^1]\n\n[^1]: $x$", ["$x$"]),
    "in a component": ("<Card title='t'>\n\n$x$\n\n$$\ny{z}\n$$\n\n</Card>", ["$x$", "$$y{z}$$"]),
    "in an admonition": (":::note\n$x$\n:::", ["$x$"]),
    "over two lines": ("$x\n\\cdot y$", ["$x \\cdot y$"]),
    "on one line": ("$$x$$", ["$$x$$"]),
    "on lines of its own": ("$$\nx\n$$", ["$$x$$"]),
    "begun and ended with text": ("$$x\n+ y$$", ["$$x + y$$"]),
    "below text": ("text\n$$\nx\n$$\nmore", ["$$x$$"]),
    "with two dollars within text": ("a $$x$$ b", ["$$x$$"]),
    "with a dollar in it": ("$\\$5 + x$", ["$\\$5 + x$"]),
    "with what looks like a component": (
        "$$\n<Card>\n{a}\n:::note\n$$\n\n<Card title='t'>a</Card>",
        ["$$&lt;Card&gt; {a} :::note$$"],
    ),
    "in a fence": ("```math\nx\n```", ["$$x$$"]),
    "with lines in a fence": ("```math\nx &= y \\\\\n&= z\n```", []),
    "prices": ("from $5 to $6, and US$7 or 8$ too", []),
    "prices and code": ("costs $5 or $6, `$x$`", []),
    "a blank behind the first": ("$ x$", []),
    "a blank before the last": ("$x $", []),
    "escaped": ("\\$x$ and \\$\\$y$$", []),
    "code": ("`$x$`", []),
    "a block of code": ("```\n$$x$$\n```\n\n    $$y$$", []),
    "an address": ("https://example.com/$x$/", []),
    "an empty line": ("$x\n\ny$", []),
    "nothing": ("$$ and $$$$ and $ $", []),
    "shell": ("$HOME and $PATH", []),
}


@pytest.mark.parametrize("name", FOUND)
def test_formulas_are_found_where_they_are(name: str) -> None:
    text, expected = FOUND[name]
    body = page(text)
    assert formulas(body) == expected
    assert faults(body.html) == []


@pytest.mark.parametrize("name", FOUND)
def test_the_twin_is_what_was_written(name: str) -> None:
    text, _ = FOUND[name]
    if "<Card" not in text and ":::" not in text and "./" not in text:
        assert page(text).twin == text


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("form", ["md", "mdx"])
def test_without_the_extra_and_in_plain_markdown_there_are_none(name: str, form: str) -> None:
    text, _ = FOUND[name]
    plain = rendered(text, form)  # type: ignore[arg-type]
    assert formulas(plain) == []
    if form == "md":
        other = rendered(text, "md", extras={"math", "diagrams"})
        assert replace(other, diagnostics=plain.diagnostics) == plain


def test_tags_within_a_formula_close_nothing() -> None:
    body = page("<Card title='t'>\n\nA $a</Card>b$ here.\n\n$$\n</Card>\n$$\n\n</Card>\n\nafter")
    assert body.html.count("<math") == 2
    assert "after</p>" in body.html
    assert "component-unopened" not in "".join(findings(body))


TOLD = {
    "a $x$ and $\\foo$": ["1:12 math-invalid"],
    "text\n\n$$\na\n\\foo\n$$": ["5:1 math-invalid"],
    "- item\n\n  $$\n  a +\n  b \\foo\n  $$": ["5:5 math-invalid"],
    "```math\nx\n  \\foo\n```": ["3:3 math-invalid"],
    "<Steps>\n<Step title='a'>\n\ntext\n\n$$x = \\foo$$\n\n</Step>\n</Steps>": ["6:7 math-invalid"],
    "| a |\n| - |\n| $\\foo$ |": ["3:4 math-invalid"],
    "> $\\foo$": ["1:4 math-invalid"],
    "$$\nx\n\ny": ["1:1 math-invalid"],
    "$x": [],
}


@pytest.mark.parametrize("text", TOLD)
def test_what_is_not_known_is_told_with_its_place(text: str) -> None:
    assert findings(page(text)) == TOLD[text]


def test_what_is_not_known_is_shown_as_tex() -> None:
    body = page("a $\\foo{x}$ b\n\n$$\n\\foo\n$$")
    assert "<p>a <code>$\\foo{x}$</code> b</p>" in body.html
    assert 'class="language-tex"' in body.html


def test_a_heading_says_the_tex_in_the_contents_and_has_its_formula() -> None:
    body = page("## The $x^2$ of it")
    assert [(entry.id, entry.label) for entry in body.toc] == [("the-x2-of-it", "The x^2 of it")]
    assert "<math" in body.html


def test_the_search_has_formulas_as_tex() -> None:
    body = page("Area is $\\pi r^2$ of it.\n\n$$\na < b\n$$")
    assert seen(body.html) == "Area is \\pi r^2 of it. a < b"


def test_an_image_says_the_tex() -> None:
    assert 'alt="a x b"' in page("![a $x$ b](/img/a.png)").html


def test_formulas_of_a_page_have_a_budget() -> None:
    body = page("$" + "x+" * 4_000 + "x$\n\n" * 1 + ("$" + "x+" * 4_000 + "x$\n\n") * 30)
    assert "budget-exceeded" in "".join(findings(body))


@pytest.mark.parametrize(
    "piece", ["$", "$a ", "$$a ", "$$\n", "a$b", "$x$", "$\\", "$$ a $$ b\n", "> $$\n", "$`"]
)
def test_the_time_for_dollars_is_bounded(piece: str) -> None:
    with processor_seconds(4):
        page(piece * (100_000 // len(piece)))


@settings(max_examples=60)
@given(st.text(alphabet="$$$ab\\{}<>`*_\n |-5:[]()/", max_size=60))
def test_any_text_gives_sound_html(text: str) -> None:
    body = page(text)
    assert faults(body.html) == []
    if "$" not in text:
        assert body == rendered(text)
