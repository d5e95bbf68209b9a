from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.utils import read_fixture_file

from builder.markdown.commonmark import gfm
from builder.markdown.commonmark.parser import base
from builder.markdown.commonmark.parser_notes import MAX_NOTES, Note, note, notes
from components.words import ENGLISH
from tests.builder.conformance import different, listed, parser
from tests.corpora import examples

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = [
    case for name in ("gfm", "footnotes", "media") for case in read_fixture_file(FIXTURES / f"{name}.md")
]


def test_gfm_differs_only_in_the_listed_examples() -> None:
    found = examples("gfm-0.29")
    assert different(found, parser("md", gates=False, extensions=True)) == listed("gfm-0.29")
    assert len(found) - len(listed("gfm-0.29")) == 666


def test_the_extensions_differ_only_in_the_listed_examples() -> None:
    found = examples("gfm-extensions")
    assert different(found, parser("md", gates=False, extensions=True)) == listed("gfm-extensions")


@pytest.mark.parametrize(("line", "title", "source", "html"), CASES, ids=[case[1] for case in CASES])
@pytest.mark.parametrize("form", ["md", "mdx"])
def test_it_is_rendered_as_written(form: str, line: int, title: str, source: str, html: str) -> None:
    assert base("mdx" if form == "mdx" else "md").render(source) == html


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("a\n\n[^x] and [^y]", [("footnote-undefined", 2, "[^x]"), ("footnote-undefined", 2, "[^y]")]),
        ("`[^x]` \\[^x] [a][^x] [^x](b)", [("footnote-undefined", 0, "[^x]")]),
        ("a\n\n[^x]: never\n    mentioned", [("footnote-unused", 2, "[^x]")]),
        ("[^x]\n\n[^x]: once\n\n[^x]: twice", [("footnote-unused", 4, "[^x]: ")]),
        (
            "[a](javascript:b) ![c](data:d)",
            [("link-unsafe", 0, "javascript:b"), ("link-unsafe", 0, "data:d")],
        ),
        ("- a\n\n  > <ftp://a>", [("link-unsafe", 2, "ftp://a")]),
    ],
)
def test_what_is_changed_is_told_with_its_place(source: str, found: list[tuple[str, int, str]]) -> None:
    env: dict[str, object] = {}
    base("md").parse(source, env)
    assert [(one.code, one.line, one.near) for one in notes(env)] == found


def test_a_refused_link_is_shown_as_its_text() -> None:
    html = base("md").render("[*a* ![b](data:c)](javascript:d) ![e](//f) <ftp://g> ![h](feed:i.mp4)")
    assert html == "<p><em>a</em> b e ftp://g h</p>\n"


def test_a_hundred_notes_of_a_kind_are_enough() -> None:
    env: dict[str, object] = {}
    for line in range(1000):
        note(env, Note("link-unsafe", line, "a"))
    assert len(notes(env)) == MAX_NOTES
    assert notes(env)[-1].message == "a (and there are more of these)"


@given(st.text(alphabet="~*_ a\n[]()|-:>!`#\\<&1.^"))
def test_any_text_is_parsed_and_every_tag_closed(source: str) -> None:
    for form in ("md", "mdx"):
        tokens = base(form).parse(source)  # type: ignore[arg-type]
        assert sum(token.nesting for token in tokens) == 0
        for token in tokens:
            assert sum(child.nesting for child in token.children or ()) == 0


def test_a_task_has_a_box_that_has_a_name() -> None:
    assert 'aria-label="Done"' in gfm.task_box(ENGLISH, checked=True)
