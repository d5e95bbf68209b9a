"""Real documentation, written for another system: nothing fails, nothing of the text is lost."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from builder.frontmatter import split
from builder.markdown.page import Body
from builder.paths import Format
from tests.builder.bodies import rendered, text_of, words
from tests.corpora import folder

_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,}).*?^[ \t]*\2[`~]*[ \t]*$", re.DOTALL | re.MULTILINE)
_GONE = (
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL),
    re.compile(r"<(script|style|iframe)\b.*?</\1>", re.DOTALL),
    re.compile(r"^(?:import|export)\s.*$", re.MULTILINE),
    re.compile(r"</?[A-Za-z][^>]*>"),
    re.compile(r"(?<=\])\([^)\n]*\)"),
    re.compile(r"^[ \t]*\[[^\]\n]+\]:.*$", re.MULTILINE),
    re.compile(r"^[ \t]*:::\w*", re.MULTILINE),
    re.compile(r"^[ \t]*\d+[.)](?=\s)", re.MULTILINE),
    re.compile(r"\{[^{}]*\}"),
    re.compile(r"&\w+;"),
)
"""Parts that are no text, looked for in this order. Coarse, but on the safe side for pages such as these."""


FORMATS: tuple[Format, ...] = ("md", "mdx")


class Page(NamedTuple):
    """One page of a corpus."""

    name: str
    body: str


def pages() -> tuple[Page, ...]:
    """All pages of the two trees."""
    return _pages(folder())


@cache
def _pages(root: Path) -> tuple[Page, ...]:
    found = sorted([*root.glob("redux/docs/**/*.md*"), *root.glob("jest/docs/**/*.md*")])
    assert len(found) > 100
    return tuple(Page(path.relative_to(root).as_posix(), _body(path)) for path in found)


def _body(path: Path) -> str:
    return split(path.read_text("utf-8"), path.name).body


def prose(body: str) -> str:
    """The words that readers must see."""
    for pattern in (_FENCE, *_GONE):
        body = pattern.sub(" ", body)
    return body


@pytest.fixture(scope="module")
def bodies() -> dict[Format, list[Body]]:
    """Render the pages in both formats."""
    return {form: [rendered(page.body, form) for page in pages()] for form in FORMATS}


@pytest.mark.parametrize("form", FORMATS)
def test_nearly_all_words_of_real_pages_are_shown(bodies: dict[Format, list[Body]], form: Format) -> None:
    wanted = lost = 0
    for page, body in zip(pages(), bodies[form], strict=True):
        assert body.html, page.name
        expected = Counter(words(prose(page.body)))
        missing = expected - Counter(words(text_of(body.html)))
        wanted, lost = wanted + expected.total(), lost + missing.total()
    assert wanted > 100_000
    assert lost <= wanted * 0.005


def test_every_construct_that_goes_is_told_with_its_line(bodies: dict[Format, list[Body]]) -> None:
    for page, body in zip(pages(), bodies["mdx"], strict=True):
        told = {one.line for one in body.diagnostics}
        for number, line in enumerate(_FENCE.sub(_blank, page.body).split("\n"), start=1):
            if re.match(r"import .* from |<(?:[A-Z]\w+|div|iframe|!--)", line):
                assert number in told, f"{page.name}:{number}: {line}"


def test_the_twins_of_real_pages_keep_their_words(bodies: dict[Format, list[Body]]) -> None:
    for page, body in zip(pages(), bodies["mdx"], strict=True):
        missing = Counter(words(text_of(body.html))) - Counter(words(body.twin))
        assert missing.total() <= len(words(body.twin)) * 0.005 + 5, page.name


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")
