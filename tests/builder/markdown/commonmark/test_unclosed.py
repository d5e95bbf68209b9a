"""HTML in `md` pages that is never closed: what goes with it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.html.rewrite import HtmlReader
from builder.html.sanitize import DROPPED_WITH_CONTENT
from tests.builder.bodies import rendered, text_of
from tests.server.commands import twinpress
from tests.sites import write_site
from tests.time_bounds import quickest

TO_THE_END = ("<!-- x", "<script>", "<style>", "<textarea>", "<? x", "<![CDATA[ x", "<!DOCTYPE x")
"""Openings that are never closed: each takes all that follows."""
TO_THE_GAP = sorted(DROPPED_WITH_CONTENT - {"embed", "frame", "script", "style", "textarea"})
"""Elements that take what follows up to the next empty line."""


def told(source: str) -> list[tuple[str, int, int, str]]:
    return [(one.code, one.line, one.column, one.message) for one in rendered(source, "md").diagnostics]


@pytest.mark.parametrize("opening", TO_THE_END)
def test_what_is_never_closed_says_how_many_lines_it_takes(opening: str) -> None:
    body = rendered(f"# A\n\nfirst\n\n{opening}\nsecond\n\n## B\n\nthird\n\n", "md")
    (found,) = body.diagnostics
    assert (found.code, found.line, found.column, found.level) == ("html-unclosed", 5, 1, "warning")
    assert "is never closed, so 5 lines after it went with it" in found.message
    assert found.hint.startswith("close it with `")
    assert text_of(body.html).split() == ["A", "first"]
    assert body.twin.split() == ["#", "A", "first"]


@pytest.mark.parametrize("name", TO_THE_GAP)
def test_an_element_that_is_never_closed_takes_lines_up_to_a_gap(name: str) -> None:
    body = rendered(f"<{name}>\nfirst\nsecond\n\nthird\n", "md")
    (found,) = body.diagnostics
    assert (found.code, found.line) == ("html-unclosed", 1)
    assert found.message == f"`<{name}>` is never closed, so 2 lines after it went with it"
    assert text_of(body.html).split() == body.twin.split() == ["third"]


UNCLOSED = [
    ("- <!-- a\n  b\n\n  c\n\nd", 1, 3, "`<!--` is never closed, so 3 lines after it went with it"),
    ("> <script>\n> a\n\nb", 1, 3, "`<script>` is never closed, so 1 line after it went with it"),
    ("a\n\n<title> b", 3, 1, "`<title>` is never closed, so the rest of its line went with it"),
    ("<SCRIPT>\na</script", 1, 1, "`<script>` is never closed, so 1 line after it went with it"),
    ("<?php\na > b\nc", 1, 1, "`<?` is never closed, so 1 line after it went with it"),
]
NOTHING_LOST = [
    ("<!-- a", "comment-dropped", 1, 1, "a comment was left out"),
    ("<!-- a\n\nb -->", "comment-dropped", 1, 1, "a comment was left out"),
    ("a\n\n<iframe src=b>\n\nc\n\n</iframe>", "html-dropped", 3, 1, "left out: `<iframe>`"),
    ("a <script> b\nc", "html-dropped", 1, 3, "left out: `<script>`"),
    ("<embed src=a>\nb", "html-dropped", 1, 1, "left out: `<embed>`"),
]


@pytest.mark.parametrize(("source", "line", "column", "message"), UNCLOSED)
def test_it_is_told_where_it_begins_and_how_much_goes(
    source: str, line: int, column: int, message: str
) -> None:
    assert told(source) == [("html-unclosed", line, column, message)]


@pytest.mark.parametrize(("source", "code", "line", "column", "message"), NOTHING_LOST)
def test_where_nothing_else_goes_it_is_told_as_before(
    source: str, code: str, line: int, column: int, message: str
) -> None:
    assert told(source) == [(code, line, column, message)]


@pytest.mark.parametrize("opening", [*TO_THE_END, *(f"<{name}>" for name in TO_THE_GAP)])
@pytest.mark.parametrize(
    "source",
    ["{}\nw1q\n\nw2q\n", "a {} w1q\nw2q\n", "- {}\n  w1q\n\nw2q\n", "<Card>\n{}\nw1q\n</Card>\n\nw2q\n"],
)
def test_nothing_is_lost_in_mdx(opening: str, source: str) -> None:
    body = rendered(source.format(opening), "mdx")
    assert {"w1q", "w2q"} <= set(text_of(body.html).split())
    assert "w1q" in body.twin
    assert "w2q" in body.twin


@pytest.mark.parametrize("name", ["video", "audio", "details", "VIDEO"])
def test_what_follows_an_element_that_hides_its_content_is_shown(name: str) -> None:
    body = rendered(f"first\n\n<{name}>\n<b>x</b>\n\nsecond\n\n- third\n", "md")
    (found,) = body.diagnostics
    assert (found.code, found.line, found.column) == ("html-unclosed", 3, 1)
    assert "closed where its block of HTML ends" in found.message
    for text in (body.html, body.twin):
        assert text.index("x") < text.index(f"</{name.lower()}>") < text.index("second") < text.index("third")


@pytest.mark.parametrize(
    "source",
    [
        "<details>\n<summary>a</summary>\n\nb\n\n</details>\n\nc\n",
        "<video src=a>\n\n<source src=b>\n\n</video>\n\nc\n",
        "<details>\n\n<details>\n\nb\n\n</details>\n\n</details>\n",
        "- <details>\n\n  b\n\n  </details>\n",
    ],
)
def test_what_is_closed_in_a_later_block_is_no_fault(source: str) -> None:
    assert "html-unclosed" not in [one.code for one in rendered(source, "md").diagnostics]


def test_of_two_elements_the_one_that_is_not_closed_is_told() -> None:
    source = "<details>\n\na\n\n<details>\n\nb\n\n</details>\n\nc\n"
    body = rendered(source, "md")
    assert [(one.code, one.line) for one in body.diagnostics] == [("html-unclosed", 1)]
    assert body.html.index("</details>") < body.html.index("a</p>")


def test_a_strict_check_fails(tmp_path: Path) -> None:
    files = {"site.yml": "title: T\n", "docs/index.md": "---\ntitle: A\n---\n\n<!-- a\n\nb\n"}
    done = twinpress("check", "--strict", write_site(tmp_path, files), cwd=tmp_path)
    assert done.returncode == 1
    assert "docs/index.md:5:1: warning: `<!--` is never closed, so 2 lines after it went" in done.stdout


def test_many_instructions_without_their_end_take_linear_time() -> None:
    def seconds(number: int) -> float:
        text = "<![CDATA[\n>" * number
        assert len(HtmlReader().read(text)) == 0
        return quickest(lambda: HtmlReader().read(text))

    assert seconds(20_000) < 60 * seconds(2_000)
