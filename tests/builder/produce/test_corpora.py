"""Documentation trees that were written for another system, built whole as they are."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from builder.build import build
from builder.output import MemoryOutput
from builder.paths import Format, output
from tests.builder.bodies import text_of, words
from tests.builder.markdown.test_body_corpora import Page, pages, prose
from tests.corpora import copied, folder
from tests.sites import Built, write_site

TREES = ("redux", "jest")


class _Article(HTMLParser):
    """Finds where the article's content begins and ends."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.start = self.end = -1
        self.html, self.lines = html, [0, *(found.end() for found in re.finditer("\n", html))]
        self.feed(html)

    def _place(self) -> int:
        line, column = self.getpos()
        return self.lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "article":
            assert self.start < 0
            self.start = self._place() + len(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            assert self.end < 0
            self.end = self._place()


def article(html: str) -> str:
    """Return the content of the one article of a page."""
    found = _Article(html)
    assert 0 < found.start < found.end
    return html[found.start : found.end]


@pytest.fixture(scope="module", params=["md", "mdx"])
def form(request: pytest.FixtureRequest) -> Format:
    return request.param


@pytest.fixture(scope="module")
def built(form: Format, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Both trees in one site: as they are, nearly all in `md`, then all in `mdx`."""
    site = write_site(tmp_path_factory.mktemp("corpora"), {"site.yml": "title: T\nplan: premium\n"})
    for tree in TREES:
        copied(f"{tree}/docs", site / "docs" / tree)
    for path in site.rglob("*.md") if form == "mdx" else ():
        path.rename(path.with_suffix(".mdx"))
    written = MemoryOutput()
    return Built(written, build(site, written))


def named() -> list[Page]:
    """The pages whose names are allowed; in these trees `_` is for parts of pages."""
    return [page for page in pages() if not Path(page.name).name.startswith("_")]


def _html(built: Built, page: Page) -> str:
    tree, _, rest = page.name.partition("/docs/")
    return built.text(output(f"docs/{tree}/{rest.rpartition('.')[0]}"))


@pytest.fixture(scope="module")
def texts(built: Built) -> list[list[str]]:
    """The words of each page's article."""
    return [words(text_of(article(_html(built, page)))) for page in named()]


def test_every_page_is_there_and_says_something(built: Built, texts: list[list[str]]) -> None:
    assert "internal-error" not in built.codes
    assert built.result.pages == len(named())
    assert [page.name for page, shown in zip(named(), texts, strict=True) if not shown] == []
    left_out = [each.file for each in built.diagnostics if each.code == "path-invalid"]
    assert len(left_out) == len(pages()) - len(named())
    assert all(Path(file).name.startswith("_") for file in left_out)


def test_nearly_all_words_are_in_the_built_pages(texts: list[list[str]]) -> None:
    wanted = lost = 0
    for page, shown in zip(named(), texts, strict=True):
        expected = Counter(words(prose(page.body)))
        missing = expected - Counter(shown)
        wanted, lost = wanted + expected.total(), lost + missing.total()
    assert wanted > 100_000
    assert lost <= wanted * 0.005, lost


def test_every_construct_that_goes_is_told_with_its_line_in_the_file(built: Built, form: Format) -> None:
    told = {(each.file.removesuffix("x"), each.line) for each in built.diagnostics}
    gone = DROPPED if form == "mdx" else TAG
    seen = 0
    for page in named():
        file = "docs/{}/{}".format(*page.name.removesuffix("x").split("/docs/"))
        for line in dropped((folder() / page.name).read_text("utf-8"), gone):
            seen += 1
            assert (file, line) in told, f"{file}:{line}"
    assert seen > 20


FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,}).*?^[ \t]*\2[`~]*[ \t]*$", re.DOTALL | re.MULTILINE)
TAG = re.compile(r"<(?:[A-Z]\w+|iframe|!--)")
DROPPED = re.compile(rf"import .* from |<div|{TAG.pattern}")
"""In `md` statements are text and `div` is an element."""


def dropped(text: str, gone: re.Pattern[str]) -> list[int]:
    """The lines of statements, unknown components and comments outside code."""
    shown = FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    return [number for number, line in enumerate(shown.split("\n"), start=1) if gone.match(line)]
