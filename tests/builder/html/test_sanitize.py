from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from builder.code import highlight
from builder.html import sanitize
from builder.markdown.commonmark.parser import base
from builder.paths import Format
from tests.corpora import payloads
from tests.security import MARKDOWN, dangers

NONCE = sanitize.nonce("source")

PLACES = {
    "body": "{}",
    "line": "a {} b",
    "heading": "## {}",
    "cell": "|a|\n|-|\n|{}|",
    "item": "- > {}",
    "footnote": "a[^1]\n\n[^1]: {}",
    "code": "`{}`",
    "link": "[a]({})",
    "definition": "[a]\n\n[a]: <{}>",
    "title": '[a](b "{}")',
    "image": "![a]({})",
    "description": "![{}](a.png)",
    "video": "![a]({}.mp4)",
    "autolink": "<{}>",
    "address": '<a href="{}">a</a> <img src="{}">',
}


def rendered(source: str, form: Format) -> str:
    """A body as a page without components has it."""
    html = base(form).render(source)
    return sanitize.clean(html, sanitize.nonce(source)) if form == "md" else html


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", ["md", "mdx"])
def test_no_payload_is_dangerous_anywhere(place: str, form: Format) -> None:
    found = {payload: dangers(rendered(PLACES[place].replace("{}", payload), form)) for payload in payloads()}
    assert {payload: found_here for payload, found_here in found.items() if found_here} == {}


def test_no_payload_is_dangerous_in_a_fence() -> None:
    for payload in payloads():
        assert dangers(highlight.fence(payload, f"html {payload}").html) == []
        assert dangers(highlight.fence(payload, payload).html) == []


def test_without_the_gate_most_payloads_are_dangerous() -> None:
    unsafe = MarkdownIt("commonmark")
    flagged = [payload for payload in payloads() if dangers(unsafe.render(payload))]
    assert len(flagged) > len(payloads()) / 2


def test_the_gate_alone_is_enough() -> None:
    found = {payload: dangers(sanitize.clean(payload, NONCE)) for payload in payloads()}
    assert {payload: found_here for payload, found_here in found.items() if found_here} == {}


@given(st.text(alphabet="<>/=\"' abdivpsctrhefon:&#;!-\n"))
def test_any_text_comes_out_safe_and_balanced(source: str) -> None:
    for form in ("md", "mdx"):
        html = rendered(source, "md" if form == "md" else "mdx")
        assert dangers(html) == []
        assert dangers(f"<article>{html}</article><footer>end</footer>") == []


@pytest.mark.parametrize("name", ["tp-x", "TP-x", " tp-x"])
def test_authors_have_no_part_in_the_themes_names(name: str) -> None:
    html = sanitize.clean(f'<p id="{name}" class="{name} language-a">b</p>', NONCE)
    assert html == '<p class="language-a">b</p>'


def test_what_we_signed_keeps_its_classes_ids_and_role() -> None:
    ours = '<aside class="tp-admonition"><p class="tp-a" id="tp-b" role="note" tabindex="0">c</p></aside>'
    assert sanitize.clean(sanitize.mark(ours, NONCE), NONCE) == ours


def test_a_signature_is_known_to_no_author() -> None:
    source = '<p class="{} tp-x">'
    assert sanitize.nonce(source.format("a")) != sanitize.nonce(source.format("b"))
    assert sanitize.clean(source.format(sanitize.nonce("other")), NONCE) == "<p></p>"


def test_code_is_kept_out_of_the_gate() -> None:
    slots = ['<figure class="tp-code">a</figure>', "b"]
    html = f"<p>c</p>{sanitize.slot(1, NONCE)}{sanitize.slot(0, NONCE)}<figure class='0'></figure>"
    assert sanitize.fill(sanitize.clean(html, NONCE), NONCE, slots) == (
        '<p>c</p>b<figure class="tp-code">a</figure><figure></figure>'
    )


def test_a_task_of_an_author_can_not_be_ticked() -> None:
    assert (
        sanitize.clean("<input type=checkbox checked>", NONCE)
        == '<input type="checkbox" checked="" disabled="">'
    )
    assert sanitize.clean("<input type=password>", NONCE) == '<input type="checkbox" disabled="">'


def test_the_tables_hold_nothing_that_is_dangerous() -> None:
    assert MARKDOWN.elements >= sanitize.TAGS
    assert not sanitize.TAGS & sanitize.DROPPED_WITH_CONTENT
    names = frozenset().union(*sanitize.ATTRIBUTES.values())
    assert names <= MARKDOWN.attributes
    assert not [name for name in names if re.match(r"on|style|srcdoc|form", name)]
