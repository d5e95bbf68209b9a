"""HTML that is not parsed, as it is written out in full, is what a browser's parser makes of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builder.markdown.test_body_security import ALLOWED
from tests.corpora import payloads
from tests.security import dangers, parsed_dangers, plain_elements

PLACES: dict[str, Callable[[str], str]] = {
    "body": lambda text: text,
    "element": lambda text: f"<p>{text}</p>",
    "attribute": lambda text: f'<a href="{text}" class="a">b</a>',
    "quoted": lambda text: f'<a href="{text.replace(chr(34), "&quot;")}" title="a > b">c</a>',
    "drawing": lambda text: f'<svg viewBox="0 0 9 9" class=">"><path d="{text}"/></svg>{text}',
}


@pytest.mark.parametrize("place", PLACES)
def test_payloads_are_judged_as_the_parser_judges_them(place: str) -> None:
    for payload in payloads():
        html = PLACES[place](payload)
        assert dangers(html, ALLOWED) == list(parsed_dangers(html, ALLOWED)), payload


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<a href="/a" href="javascript:b">c</a>', []),
        ('<a href="javascript:b" href="/a">c</a>', ["href 'javascript:b'"]),
        ('<a href="java&Tab;script:b">c</a>', ["href 'java\\tscript:b'"]),
        ('<svg class=">" onload="a"><path d=""/></svg>', ["attribute onload of svg:svg"]),
        ('<svg><path d="" onload="a"/></svg>', ["attribute onload of svg:path"]),
        ('<p class="a" onclick="b">', ["attribute onclick of p"]),
        ('<title><p class="</title><img onerror=a>"></p>', ["element title", "attribute onerror of img"]),
        ("<input>", ["input that is no task"]),
        ("<!-- a -->", ["comment ' a '"]),
        ("a < b <3", []),
    ],
)
def test_what_is_on_no_list_is_found(html: str, found: list[str]) -> None:
    assert dangers(html, ALLOWED) == found == list(parsed_dangers(html, ALLOWED))


@pytest.mark.parametrize(
    "html",
    ["<a b='c'>", "<a b=c>", '<a b="c"d>', "<!-- -->", "<p", "</p x>", "<title></title>", "<svg><a></svg>"],
)
def test_what_is_not_written_out_in_full_is_left_to_the_parser(html: str) -> None:
    assert plain_elements(html) is None
