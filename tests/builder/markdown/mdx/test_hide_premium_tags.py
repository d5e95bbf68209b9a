"""The parts that the plan hides: in nothing that a body becomes, however their tags stand in the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.markdown.mdx.hide_premium_tags import OpenPart, blanked
from tests.builder.bodies import findings, rendered

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
    "after an indented line that looks like a fence": "a\n    ``` x\n\nc <Callout>\n\nSECRET\n\n</Callout> b",
    "after a fence with a quote in it": "```md\n> ```\n```\n\na <Callout>\n\nSECRET\n\n</Callout> b",
    "after code that looks like a comment": "    <!--\n\na <Callout>\n\nSECRET\n\n</Callout> b -->",
    "after code that looks like a script": "    <script>\n\n- <Callout>\nSECRET\n</Callout>\n\n</script>",
    "after a fence that a list ends": "- a\n\n  ```\nb\n\na <Callout>\n\nSECRET\n\n</Callout> b",
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
    "indented code": "Open\n\n    <Callout>\n\nSHOWN\n\nand close\n\n    </Callout>\n\nSHOWN",
    "indented code in a list": "1. a\n\n       <Callout>\n\nSHOWN\n\n</Callout>\n",
    "fence with a quote": "```\n> ```\n<Callout>SHOWN</Callout>\n```",
    "fence with an indented mark": "```\n    ```\n<Callout>SHOWN</Callout>\n```",
    "title of a link": '[a](/docs/x "<Callout>SHOWN</Callout>")',
    "escaped": r"\<Callout> SHOWN \</Callout>",
    "of a longer name": "<CalloutBox>SHOWN</CalloutBox>",
    "after a closing tag of nobody": "</Callout> SHOWN",
}


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN.keys())
def test_what_is_in_no_premium_part_is_shown_without_the_plan(text: str) -> None:
    body = rendered(text, premium=False)
    assert body.html.count("SHOWN") == body.twin.count("SHOWN") == text.count("SHOWN")


BLANKED = [
    ("a <Callout>b\n\n</Callout>   c\nd", 2, "a <Callout/>\n\nc\nd"),
    ("> a <Callout>\n>\n> b\n>\n> </Callout> d\n> c", 4, "> a <Callout/>\n>\n>\n>\n>d\n> c"),
    ("a <Callout\n>\n> b </Callout>", 2, "a <Callout/>\n\n"),
]


@pytest.mark.parametrize(("text", "start", "kept"), BLANKED)
def test_what_is_taken_out_leaves_its_lines(text: str, start: int, kept: str) -> None:
    end = text.index("</Callout>") + len("</Callout>")
    assert blanked(text, [OpenPart(start, end, "Callout")]) == kept


PLACES = [
    ("<Callout>\n\n</Callout>[v](nope)", ["3:15 broken-link"]),
    (
        "1. one\n   - two\n\n     <Callout>\n     h\n     </Callout> tail\n\n     **m** [x](b.md)\n",
        ["8:16 broken-link"],
    ),
    ("a <Callout>b</Callout> [v](nope)", ["1:28 broken-link"]),
]


@pytest.mark.parametrize(("text", "told"), PLACES)
def test_what_stands_after_a_part_is_told_at_its_place(text: str, told: list[str]) -> None:
    assert [one for one in findings(rendered(text, premium=False)) if "link" in one] == told


def test_a_list_goes_on_after_a_part_of_several_lines() -> None:
    text = "1. one\n   - two\n\n     <Callout>\n     h\n     </Callout> tail\n\n     **more**\n\n2. next"
    html = rendered(text, premium=False).html
    assert html.count("<ol") == html.count("<ul") == 1
    assert "<code" not in html


PIECES = [
    "<Callout>", "</Callout>", "<Callout ", "<Accordion>", "</Accordion>", "/>", ">", "\n", "\n\n", "> ",
    "- ", "  ", "    ", "word ", "`", "```\n", "~~~\n", "| ", "|-|\n", "# ", "===\n", ":::note ", ":::\n",
    "{", "}", '"', "a=", "<Card>", "</Card>", "<div>", "</div>", "[", "](x)", "![", "[^1]", "[^1]: ",
    "<!--", "-->", "\\", "*", "<kbd>", "</kbd>", "import a from 'b'\n", "<script>", "</script>", "\t",
    "1. ", "&lt;", "<",
]  # fmt: skip
_OTHERS = re.compile("<Callout |<Accordion")
_MAY_BE_CODE = re.compile(r"[`~{\\]|<!--|\t|    |<script")


@given(st.lists(st.sampled_from(PIECES), max_size=20), st.lists(st.sampled_from(PIECES), max_size=12))
def test_whatever_stands_around_it_a_part_between_its_tags_is_not_told(
    before: list[str], within: list[str]
) -> None:
    """Code, comments and escaped text hold no tags; which is one is not for this test to find out. Nor is
    which of several parts without an end the closing tag is for."""
    start, inner = "".join(before), "".join(within)
    others = _OTHERS.search(start) or "Callout" in inner or "Accordion" in inner
    if others or _MAY_BE_CODE.search(start + inner):
        return
    text = f"{start}\n<Callout>{inner} SECRET {inner}</Callout>\n"
    assert "SECRET" not in told(text, premium=False)
