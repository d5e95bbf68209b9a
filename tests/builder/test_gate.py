"""What the plan hides is in nothing that a body becomes, however its tags stand in the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.markup.gate import gated
from tests.builder.bodies import rendered

CALLOUT = "<Callout>SECRET</Callout>"

CASES = {
    "over blocks": "text <Callout>\n\nSECRET\n\n</Callout> end",
    "over headings, lists and code": "a <Callout>\n\n# SECRET\n- SECRET\n\n```\nSECRET\n```\n</Callout> b",
    "from a heading on": "# a <Callout>\n\nSECRET\n\n</Callout>",
    "over a definition": "a <Callout>\n\n[x]: /SECRET 'SECRET'\n\n</Callout>\n\n[x]",
    "over cells": "| a | b |\n|-|-|\n| <Callout>SECRET | SECRET</Callout> |\n",
    "over rows": "| a | b |\n|-|-|\n| <Callout>SECRET | c |\n| SECRET</Callout> | d |\n",
    "over an underline": "hi <Callout>SECRET\n===\nSECRET</Callout>",
    "over the end of an admonition": ":::note <Callout>\nSECRET\n:::\nSECRET</Callout>",
    "over the end of a list": "- <Callout>\nSECRET\n</Callout>",
    "over the end of a quote": "> <Callout>\nSECRET\n</Callout>",
    "over the end of a component": '<Card title="x"><Callout></Card>SECRET</Callout>',
    "after braces": "{{{{{<Callout>\n\nSECRET\n\n</Callout>",
    "a value with an empty line": '<Callout a="b\n\nc">SECRET</Callout>',
    "a tag with an empty line": '<Callout\n\na="b">SECRET</Callout>',
    "a tag that has no end": '<Embed src="https://SECRET.example\n\n',
    "a value that has no end": '<Callout a="SECRET> SECRET\n\nSECRET</Callout>',
    "a closing tag with more in it": "<Callout>SECRET</Callout x>",
    "twice": f"{CALLOUT} a {CALLOUT}",
    "one that is not closed before one that is": "- <Callout> SECRET\n\n<Callout>SECRET</Callout>",
    "deep in quotes": "> " * 40 + CALLOUT,
    "deep in lists": "- " * 39 + CALLOUT,
    "deep in lists, with no end": "- " * 60 + "<Callout>\n" + "  " * 60 + "SECRET",
    "deep in quotes, with no end": "> " * 60 + "<Callout>SECRET",
    "deep in elements": "<div>\n" * 150 + CALLOUT + "\n" + "</div>\n" * 150,
    "deep in elements, with no end": "<div>\n" * 150 + "<Callout>SECRET\n" + "</div>\n" * 150,
    "deep in images": "![" * 12 + CALLOUT + "](b.png)" * 12,
    "deep in images, with no end": "![" * 12 + "<Callout>SECRET" + "](b.png)" * 12,
    "after too much markup": "x " + "*a* " * 60_000 + CALLOUT,
    "after too much markup, with no end": "x " + "*a* " * 60_000 + "<Callout>SECRET",
    "after too many brackets": "x " + "[" * 12_000 + CALLOUT,
    "crossing another": "<Accordion>\n<Callout>\nSECRET\n</Accordion>\nSECRET\n</Callout>",
    "in a footnote": "a[^1]\n\n[^1]: " + CALLOUT,
    "in a note that only a part mentions": "<Callout>a[^1] SECRET</Callout>\n\n[^1]: SECRET\n\n    SECRET",
    "in a title of an admonition": ":::note[<Callout>SECRET</Callout>]\na\n:::",
    "with windows' line ends": "a <Callout>\r\n\r\nSECRET\r\n\r\n</Callout> b",
    "with old line ends": "a <Callout>\r\rSECRET\r\r</Callout> b",
}


def told(text: str, *, premium: bool) -> str:
    """All that a body becomes, as one text."""
    return str(rendered(text, premium=premium))


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_nothing_of_a_premium_part_is_told_without_the_plan(text: str) -> None:
    assert "SECRET" not in told(text, premium=False)
    assert "SECRET" in told(text, premium=True)


SHOWN = {
    "code span": "`<Callout>SHOWN</Callout>`",
    "fence": "```mdx\n<Callout>\nSHOWN\n</Callout>\n```",
    "fence in a list": "- a\n\n  ```mdx\n  <Callout>\n  SHOWN\n  </Callout>\n  ```\n",
    "fence in a quote": "> ```mdx\n> <Callout>\n> SHOWN\n> </Callout>\n> ```\n",
    "before and after": "SHOWN <Callout>a</Callout> SHOWN <Callout>b\n\nc</Callout>\n\nSHOWN",
    "after one that has no end, in a list": "- <Callout>\n\nSHOWN",
    "escaped": r"\<Callout> SHOWN \</Callout>",
    "of a longer name": "<CalloutBox>SHOWN</CalloutBox>",
    "after a closing tag of nobody": "</Callout> SHOWN",
    "past what can be parsed": (
        "filler *a* [b](http://c.example) `d` <kbd>x</kbd>\n\n" * 20_000
        + "<Callout>\n\nno\n\n</Callout>\n\nSHOWN"
    ),
}


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN.keys())
def test_what_is_in_no_premium_part_is_shown_without_the_plan(text: str) -> None:
    body = rendered(text, premium=False)
    assert body.html.count("SHOWN") == body.twin.count("SHOWN") == text.count("SHOWN")


KEPT = [
    ("a <Callout>b</Callout> c", "a <Callout/>           c"),
    ("a <Callout>b</Callout>", "a <Callout/>"),
    ("a <Callout\n  x='y'\n>\n\nb\n\n</Callout>   c\nd", "a <Callout/>\n\n\n\n\n\nc\nd"),
    ("> <Callout>\n> b\n> </Callout> d\n> c", "> <Callout/>\n>\n>d\n> c"),
    ("<Embed src='x' /> a", "<Embed/>          a"),
    ("<Callout>a <Callout>b</Callout> c</Callout>d", "<Callout/>" + " " * 33 + "d"),
    ("no part `<Callout>`", "no part `<Callout>`"),
]


@pytest.mark.parametrize(("text", "kept"), KEPT)
def test_lines_and_what_stands_around_a_part_stay_where_they_are(text: str, kept: str) -> None:
    assert gated(text) == kept


PIECES = [
    "<Callout>", "</Callout>", "<Callout ", "<Accordion>", "</Accordion>", "/>", ">", "\n", "\n\n", "> ",
    "- ", "  ", "    ", "word ", "`", "```\n", "~~~\n", "| ", "|-|\n", "# ", "===\n", ":::note ", ":::\n",
    "{", "}", '"', "a=", "<Card>", "</Card>", "<div>", "</div>", "[", "](x)", "![", "[^1]", "[^1]: ",
    "<!--", "-->", "\\", "*", "<kbd>", "</kbd>", "import a from 'b'\n", "<script>", "</script>", "\t",
    "1. ", "&lt;", "<",
]  # fmt: skip
_MAY_BE_CODE = re.compile(r"[`~{\\]|<!--|\t|    |<script")


@given(st.lists(st.sampled_from(PIECES), max_size=20), st.lists(st.sampled_from(PIECES), max_size=12))
def test_whatever_stands_around_it_a_part_between_its_tags_is_not_told(
    before: list[str], within: list[str]
) -> None:
    """What is code, comment or escaped is no tag; which that is, is not for this test to find out again."""
    start, inner = "".join(before), "".join(within)
    if _MAY_BE_CODE.search(start + inner) or "<Callout " in start or "</Callout" in inner:
        return
    text = f"{start}\n<Callout>{inner} SECRET {inner}</Callout>\n"
    assert "SECRET" not in told(text, premium=False)


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_a_gated_text_has_the_lines_it_had_and_no_more_to_hide(pieces: list[str]) -> None:
    text = "".join(pieces)
    once = gated(text)
    assert once.count("\n") == text.count("\n")
    assert gated(once) == once
