from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.html.rewrite import MAX_FORMATTING, MAX_OPEN, MAX_TAGS, HtmlReader, resolved
from builder.markdown.commonmark.parser import base
from builder.markdown.commonmark.parser_notes import notes
from tests.security import dangers

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "rawhtml.json").read_text("utf-8"))
PARTS = json.loads((Path(__file__).parent / "rawhtml.json").read_text("utf-8"))["parts"]
MARKUP = st.lists(st.sampled_from(PARTS)).map("".join)


@pytest.mark.parametrize(("source", "written"), CASES["kept"])
def test_what_may_stay_is_written_in_one_way(source: str, written: str) -> None:
    reader = HtmlReader()
    assert reader.read(source) == written
    assert not [drop for drop in reader.drops if "class" not in drop.message]


@pytest.mark.parametrize(("source", "written", "drops"), CASES["dropped"])
def test_what_may_not_stay_is_told_with_its_place(source: str, written: str, drops: list[Any]) -> None:
    reader = HtmlReader()
    assert reader.read(source) == written
    assert [[drop.offset, drop.code, drop.message] for drop in reader.drops] == drops


@given(MARKUP)
def test_what_was_written_is_safe_and_is_written_again_as_it_is(source: str) -> None:
    written = HtmlReader().read(source)
    assert dangers(written) == []
    again = HtmlReader()
    assert again.read(written) == written
    assert again.drops == []


@given(st.text(), MARKUP)
def test_a_piece_cannot_swallow_what_follows(source: str, markup: str) -> None:
    reader = HtmlReader()
    html = reader.read(source + markup)
    html += reader.close(0)
    assert dangers(f"{html}<p>end</p>") == []
    assert f"{html}<p>end</p>".endswith("<p>end</p>")


def test_addresses_are_resolved_against_the_site() -> None:
    def resolve(address: str, name: str) -> str | None:
        return None if address == "gone" else f"/base/{address}&{name}"

    html = HtmlReader().read(
        '<a href="b&amp;c" title=\'href="x"\'>href="y"</a><img src=gone><video poster=p></video>'
    )
    assert resolved(html, resolve) == (
        '<a href="/base/b&amp;c&amp;href" title="href=&quot;x&quot;">href=&quot;y&quot;</a><img>'
        '<video poster="/base/p&amp;poster"></video>'
    )


def test_depth_has_a_budget() -> None:
    reader = HtmlReader()
    assert reader.read("<div>" * 10_000) == "<div>" * MAX_OPEN
    assert {drop.code for drop in reader.drops} == {"budget-exceeded"}


def test_formatting_that_browsers_repeat_has_a_smaller_one() -> None:
    assert HtmlReader().read("<b>" * 100) == "<b>" * MAX_FORMATTING


def test_items_without_closing_tags_do_not_count_as_deep() -> None:
    reader = HtmlReader()
    reader.read("<table>" + "<tr><td>a" * 1000 + "</table><ul>" + "<li>a" * 1000 + "</ul>")
    assert reader.drops == []
    assert reader.opened == []


def test_tags_beyond_the_budget_are_text() -> None:
    reader = HtmlReader()
    assert reader.read("<br>" * (MAX_TAGS + 5)).endswith("<br>" + "&lt;br>" * 5)


@pytest.mark.parametrize(
    ("source", "html", "codes"),
    [
        ("a <script>b *c*</script> d", "<p>a  d</p>\n", ["html-dropped"]),
        ("a <script> b", "<p>a  b</p>\n", ["html-dropped"]),
        ("a <b>b\n\nc", "<p>a <b>b</b></p>\n<p>c</p>\n", []),
        ("> <!-- a\n\nb", "<blockquote>\n</blockquote>\n<p>b</p>\n", ["comment-dropped"]),
        ("<div>\n\n*a*\n\n</div>", "<div>\n<p><em>a</em></p>\n</div>", []),
        (
            "a\n\n<font>\n\nb <u onclick=c>d</u>",
            "<p>a</p>\n\n<p>b <u>d</u></p>\n",
            ["html-dropped", "html-dropped"],
        ),
    ],
)
def test_a_page_holds_raw_html_where_it_stands(source: str, html: str, codes: list[str]) -> None:
    env: dict[str, object] = {}
    assert base("md").render(source, env) == html
    assert [one.code for one in notes(env)] == codes


def test_a_note_has_the_line_of_the_tag() -> None:
    env: dict[str, object] = {}
    base("md").parse("a\n\n<div>\n<p>b</p>\n<font>c</font>\n<div onclick=d>", env)
    assert [(one.line, one.near) for one in notes(env)] == [(4, "<font>c</font>"), (5, "<div onclick=d>")]
