"""The search in Python and that of a browser: the same pages, sections and excerpts, in the same order."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import tests
from builder.search.query import Hit, SearchIndex
from builder.search.query.answers import FIRST, MORE
from builder.search.twin_sections import twin_page
from tests import corpora
from tests.bench.index_cost import built
from tests.bench.known_items import items
from tests.themes.site import served

pytestmark = pytest.mark.browser

TIMES = 2
"""How often the browser shows pages: at first, and more."""
FIRST_WORDS = [*json.loads(Path(__file__).with_name("search_first.json").read_text("utf-8"))]
QUESTIONS = json.loads(
    (Path(tests.__file__).parent / "builder/search/query/questions.json").read_text("utf-8")
)
"""Questions of agents about the sample site, each with the pages that answer it."""
ODD = [
    "", " ", "?", "-", "--", "+ - :", "a", "1", "20", "404", "c++", "C#", "@", "the", "what is it",
    "how to do it for",
    "Déploiement", "STRASSE ß", "検索 する", "検索する", "한국어", "नमस्ते", "שָׁלוֹם",
    "İstanbul ½ ﬁne", "🚀 launch",
    "constructor", "__proto__", "toString hasOwnProperty", "signin", "dashbord", "cofnigure",
    "configurtion file",
    "reverseproxy", "queries", "installin", "instali", "runnin", "x" * 300, "word " * 100, "a b c d e f g",
    "<script>alert(1)</script>", ".*", "(a+)+$", "\u0000", "pages/ai/page", "/pages/ai/page", "GET /ai/page",
    "$HOME/bin:$PATH", "$home", "TWINPRESS_DATA", "--strict", "--strict ", "strict", "config ", "config-inv",
    "a.b.c", "snake_case", "site.yml", "sidebar_position", "If-Match", "tp-", "!page", "8000", "127.0.0.1",
    "\ud83d", "\ufeff", "tab\u0085x", "end\u001c", "sync ", "sync", "ſtart", "Ⅷ", "ﬀ", "ΣΊΣΥΦΟΣ",
]  # fmt: skip
ASK = """async () => {
  const { search: script, index, misspelt } = document.querySelector(".tp-search").dataset;
  const text = `${await (await fetch(script)).text()}\nexport { excerpt };`;
  const { makeIndex, excerpt } =
    await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const search = makeIndex(
    await (await fetch(index)).json(), new URL(index, location), new URL(misspelt, location).href);
  const said = (text, terms) => excerpt(text, terms).map((node) => node.textContent ?? node).join("");
  window.ask = async (query, times) => {
    let found = [];
    while (times--) {
      let { results, terms } = await search(query, found.length);
      found.push(...results.map(({ url, title, sections }) =>
        [url, title, sections.map(([anchor, heading, text]) => [anchor, heading, said(text, terms)])]));
    }
    return found;
  };
}"""
READ = """async (twins) => {
  const { index } = document.querySelector(".tp-search").dataset;
  const { script } = await (await fetch(index)).json();
  const text = `${await (await fetch(new URL(script, new URL(index, location)))).text()}\nexport { page };`;
  const { page } = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  return twins.map(page);
}"""
TWINS = json.loads((Path(tests.__file__).parent / "builder/search/twins.json").read_text("utf-8"))
ASK_ALL = "([queries, times]) => Promise.all(queries.map((query) => ask(query, times)))"


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(bypass_csp=True)
    yield context.new_page()
    context.close()


def same(page: Page, folder: Path, queries: Sequence[str]) -> None:
    """Hold both searches of a built site to the same results."""
    with served(folder) as address:
        page.goto(f"{address}/docs/")
        page.evaluate(ASK)
        answers = page.evaluate(ASK_ALL, [queries, TIMES])
    index = searching(folder)
    for query, answer in zip(queries, answers, strict=True):
        found = [told(hit) for hit in index.search(query, FIRST + MORE, sections=4)]
        assert (query, counted_alike(found)) == (query, counted_alike(answer))


def searching(folder: Path) -> SearchIndex:
    def read(name: str) -> bytes | None:
        file = folder / name
        return file.read_bytes() if file.is_file() else None

    return SearchIndex(read)


def told(hit: Hit) -> list[Any]:
    return [hit.url, hit.title, [[one.anchor, one.heading, one.excerpt] for one in hit.sections]]


def counted_alike(answer: Sequence[Any]) -> list[Any]:
    """An answer without the excerpts whose characters JavaScript counts twice."""
    return [
        [
            url,
            title,
            [[*head, text if max(text, default="") < "\U00010000" else ""] for *head, text in sections],
        ]
        for url, title, sections in answer
    ]


def beginnings(queries: Sequence[str]) -> list[str]:
    """The queries, and some as they are being typed."""
    begun = (query[: 1 + len(query) // 2] for query in queries)
    return sorted({*queries, *begun, *(f"{query} " for query in queries[::3])})


def test_queries_of_the_sample_site(page: Page, sample_folder: Path) -> None:
    same(page, sample_folder, beginnings([*FIRST_WORDS, *QUESTIONS, *ODD]))


def test_twins_are_read_alike(page: Page, sample_folder: Path) -> None:
    own = [file.read_text("utf-8") for file in sorted(sample_folder.glob("docs/**/*.md"))]
    twins = [*(case["twin"] for case in TWINS.values()), *own]
    with served(sample_folder) as address:
        page.goto(f"{address}/docs/")
        found = page.evaluate(READ, twins)
    assert len(own) > 100
    for twin, (title, sections) in zip(twins, found, strict=True):
        assert (title, [tuple(section) for section in sections]) == twin_page(twin)


def test_a_question_finds_its_page_among_the_first_three(sample_folder: Path) -> None:
    index = searching(sample_folder)
    first = {question: {hit.url for hit in index.search(question, 3)} for question in QUESTIONS}
    astray = [question for question, pages in QUESTIONS.items() if first[question].isdisjoint(pages)]
    assert len(QUESTIONS) >= 30
    assert len(astray) <= 0.05 * len(QUESTIONS), astray


@pytest.mark.slow
@pytest.mark.parametrize("name", ["redux", "jest"])
def test_known_items_of_foreign_sites(page: Page, tmp_path: Path, name: str) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    shutil.copytree(corpora.folder() / name / "docs", site / "docs")
    (site / "site.yml").write_text(f"title: {name}\n", "utf-8")
    parts, _ = built(site, out)
    same(page, out, beginnings([item.query for found in items(parts).values() for item in found] + ODD))
