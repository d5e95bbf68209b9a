"""The search of the sample site: figures that it keeps to, and where queries lead."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from builder.search import Part
from tests.bench.engines import OURS
from tests.bench.index_cost import built
from tests.bench.known_items import SETS, Item, items
from tests.bench.search import place
from tests.themes.conftest import SAMPLE_SITE
from tests.themes.site import served

pytestmark = pytest.mark.browser

FLOORS = {"title": (1, 0.95), "typo": (5, 0.90), "words": (5, 0.85), "headings": (5, 0.85)}
"""Of each set, how many places count, and how many of its queries are to find theirs there."""
FIRST = json.loads(Path(__file__).with_name("search_first.json").read_text("utf-8"))
"""Queries that readers type, and the place that they expect first."""
SMALL_WORDS = "what is in it and how do I use it with the theme"
TWICE = """() => [...document.querySelectorAll("#tp-found [role=group]")]
  .filter((group) => group.querySelectorAll(".tp-search-page").length !== 1)
  .map((group) => group.ariaLabel)"""
ASK_ALL = "(queries) => Promise.all(queries.map((query) => ask(query)))"


@pytest.fixture(scope="module")
def searching(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Page, list[Part]]]:
    """A page that answers queries, and what every page of the site has added to the index."""
    folder = tmp_path_factory.mktemp("ranking")
    parts, _ = built(SAMPLE_SITE, folder)
    with served(folder) as address:
        context = browser.new_context(bypass_csp=True)
        page = context.new_page()
        page.goto(address)
        page.evaluate(OURS)
        yield page, parts
        context.close()


def found(page: Page, name: str, queries: Sequence[Item]) -> float:
    """The share of the queries that find their place early enough."""
    most, _ = FLOORS[name]
    answers = page.evaluate(ASK_ALL, [query.query for query in queries])
    places = [place(answer, item) for answer, item in zip(answers, queries, strict=True)]
    return sum(at is not None and at < most for at in places) / len(places)


def test_known_items_are_found(searching: tuple[Page, list[Part]]) -> None:
    page, parts = searching
    shares = {name: found(page, name, queries) for name, queries in items(parts).items()}
    assert shares.keys() == FLOORS.keys() == set(SETS)
    assert {name: share for name, share in shares.items() if share < FLOORS[name][1]} == {}


def test_a_query_leads_to_its_place(searching: tuple[Page, list[Part]]) -> None:
    answers = searching[0].evaluate(ASK_ALL, [*FIRST])
    assert {query: answer[0] for query, answer in zip(FIRST, answers, strict=True)} == FIRST


def test_the_beginning_of_a_title_leads_to_a_page_that_begins_so(searching: tuple[Page, list[Part]]) -> None:
    page, parts = searching
    titles = {part.url: part.title.casefold() for part in parts}
    queries = sorted({title[:end] for title in titles.values() for end in range(1, len(title) + 1)})
    words = [query for query in queries if query[-1].isalnum()]
    answers = dict(zip(words, page.evaluate(ASK_ALL, words), strict=True))
    assert len(words) > 500
    astray = {query: answer[:1] for query, answer in answers.items() if not leads(query, answer, titles)}
    assert astray == {}


def leads(query: str, answer: Sequence[str], titles: dict[str, str]) -> bool:
    """Return whether the first answer is a page, and its title begins with the query."""
    return bool(answer) and titles.get(answer[0], "").startswith(query)


@pytest.mark.parametrize("query", ["migrate", "migrating"])
def test_the_words_of_an_address_are_found(searching: tuple[Page, list[Part]], query: str) -> None:
    assert searching[0].evaluate("(query) => ask(query)", query)[0].startswith("/docs/project/migrating/")


def test_the_excerpt_is_cut_around_the_symbol_and_no_page_is_named_twice(
    browser: Browser, sample: str
) -> None:
    page = browser.new_page()
    page.goto(f"{sample}/docs/?q=snake_case")
    expect(page.get_by_role("option").first.locator("mark").get_by_text("snake_case")).to_be_visible()
    assert not [text for text in page.locator("mark").all_inner_texts() if text.endswith(".")]
    for query in ("steps", "card", "twinpress key", "base path"):
        page.get_by_role("combobox").fill("")
        expect(page.get_by_role("listbox")).to_be_hidden()
        page.get_by_role("combobox").fill(query)
        expect(page.get_by_role("option").first).to_be_visible()
        assert page.evaluate(TWICE) == []
    page.close()


def test_small_words_are_fetched_together(browser: Browser, sample: str) -> None:
    page = browser.new_page()
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    page.goto(f"{sample}/docs/?q={SMALL_WORDS}")
    expect(page.get_by_role("option").first).to_be_visible()
    of_terms = [name for name in fetched if name.startswith("t") and name.endswith(".json")]
    # Which of the first three share a file follows from what else the site has to say.
    assert len(of_terms) <= len({"whole titles", "use", "theme", "all small words"})
    page.close()
