from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.links.suggestions import CANDIDATES, Effort, Nearest
from builder.links.table import LinkTable, Target
from tests.security import dangerous_address

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "linktable.json").read_text("utf-8"))
PAGE = "docs/guide/install"


def table(*, drafts: bool = False) -> LinkTable:
    """The site of the cases, published below `/r`."""
    pages = {path: Target(url, draft) for path, (url, draft) in CASES["pages"].items()}
    files = frozenset(CASES["files"])
    return LinkTable(pages, files, "/r", "https://o.example", drafts)


@pytest.mark.parametrize(("href", "final", "path", "fragment"), CASES["links"])
def test_a_link_leads_to_its_page(href: str, final: str, path: str | None, fragment: str) -> None:
    found = table().resolve(href, PAGE)
    assert (found.href, found.path, found.fragment, found.problem) == (final, path, fragment, None)


@pytest.mark.parametrize(("kind", "href", "code", "hint"), CASES["broken"])
def test_a_fault_has_a_code_and_names_what_is_near(kind: Any, href: str, code: str, hint: str) -> None:
    links = table()
    found = links.resolve(href, PAGE, kind)
    assert found.problem is not None
    assert (found.problem[0], links.hint(found, Effort()), found.path) == (code, hint, None)
    assert found.problem[1].isprintable()


def test_a_refused_address_is_nowhere_in_the_result() -> None:
    found = table().resolve("javascript:alert(1)", PAGE)
    assert (found.href, found.absolute) == ("", "")


@pytest.mark.parametrize(
    ("href", "absolute"),
    [
        ("../api/keys.md#a", "https://o.example/r/docs/api/keys#a"),
        ("#a", "https://o.example/r/docs/guide/install#a"),
        ("plan.png", "https://o.example/r/docs/guide/plan.png"),
        ("https://example.com", "https://example.com"),
    ],
)
def test_the_twin_gets_absolute_addresses(href: str, absolute: str) -> None:
    assert table().resolve(href, PAGE).absolute == absolute


def test_drafts_may_be_linked_where_they_are_shown() -> None:
    found = table(drafts=True).resolve("draft", PAGE)
    assert (found.href, found.path, found.problem) == ("/r/docs/guide/draft", "docs/guide/draft", None)
    assert table(drafts=True).resolve("/docs/later/soon/", PAGE).href == "/r/docs/later/soon/"


def test_a_draft_is_what_is_meant_only_where_drafts_are_shown() -> None:
    hints = []
    for drafts in (False, True):
        links = table(drafts=drafts)
        hints.append(links.hint(links.resolve("/docs/later/soon/plan", PAGE), Effort()))
    assert hints == ["did you mean `/docs/guide/plan.png`?", "did you mean `/docs/later/soon/plans`?"]


def test_a_standalone_page_links_from_the_root() -> None:
    assert table().resolve("docs/guide/install", "pages/about").path == PAGE
    assert table().resolve("../docs/guide/install.mdx", "pages/about").path == PAGE


def test_the_same_words_lead_elsewhere_from_another_folder() -> None:
    links = table()
    assert links.resolve("keys", "docs/api/other").path == "docs/api/keys"
    assert links.resolve("keys", PAGE).path is None


@pytest.mark.parametrize("href", ["", "#here", "?a=1"])
def test_an_address_within_the_page_leads_to_each_page_that_has_it(href: str) -> None:
    links = table()
    pages = [PAGE, "docs/guide/index", PAGE]
    assert [links.resolve(href, page).path for page in pages] == pages


def test_a_page_below_the_folder_that_the_site_is_published_in_is_found_by_its_own_address() -> None:
    """Sites are often published below `/docs`, where their documentation lies too."""
    links = LinkTable({PAGE: Target(f"/{PAGE}")}, frozenset(), "/docs", "https://o.example")
    for href in ("install", f"/{PAGE}", f"/docs/{PAGE}", f"https://o.example/docs/{PAGE}"):
        assert (links.resolve(href, PAGE).path, links.resolve(href, PAGE).problem) == (PAGE, None), href


def test_answers_are_remembered_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.links.table._MEMO", 10)
    links = table()
    found = [links.resolve(f"install?{number}", PAGE).href for number in range(25)]
    assert found == [f"/r/docs/guide/install?{number}" for number in range(25)]
    assert len(links._memo) == 5


def test_a_link_without_a_fault_has_no_hint() -> None:
    links = table()
    assert links.hint(links.resolve("install", PAGE), Effort()) == ""


def test_the_home_page_is_known_though_no_page_was_written_for_it() -> None:
    links = LinkTable({"docs/a": Target("/docs/a")}, frozenset())
    assert links.resolve("/", "docs/a").problem is None


def test_a_table_travels_to_another_process_without_its_memory() -> None:
    links = table()
    before = links.resolve("instal", PAGE)
    data = pickle.dumps(links)
    assert b"did you mean" not in data
    assert pickle.loads(data).resolve("instal", PAGE) == before


@given(st.text(), st.sampled_from(["link", "image"]))
def test_any_text_may_be_a_link_and_no_answer_is_dangerous(href: str, kind: Any) -> None:
    found = table().resolve(href, PAGE, kind)
    assert not dangerous_address(found.href)
    assert not dangerous_address(found.absolute)


def test_a_hint_compares_few_names_however_large_the_site_is() -> None:
    pages = [f"/docs/part-{number % 100}/page-{number}" for number in range(10_000)]
    near = Nearest.among([], pages)
    assert near.page("docs/part-8/page-70", Effort()) == "did you mean `/docs/part-70/page-70`?"
    assert max(map(len, near.all.values())) > CANDIDATES


def test_names_that_are_compared_count_as_addresses_do() -> None:
    near, effort = Nearest.among([], [f"/{PAGE}"]), Effort()
    assert near.page("docs/guide/instal", effort) == f"did you mean `/{PAGE}`?"
    assert effort.left < Effort().left
    assert near.page("docs/guide/instal", Effort(1)) == ""


def test_what_is_longer_than_any_address_is_near_to_none() -> None:
    near = Nearest.among([], [f"/{PAGE}"])
    assert near.page("x/" * 400 + "install", Effort()) == f"did you mean `/{PAGE}`?"
    assert near.page("x/" * 500 + "install", Effort()) == ""


def test_a_message_is_short_however_long_the_address_is() -> None:
    for href in ("x" * 10_000, "javascript:" + "x" * 10_000):
        _, message, _ = table().resolve(href, PAGE).problem or ("", "", "")
        assert "x" * 10 in message
        assert len(message) < 150
