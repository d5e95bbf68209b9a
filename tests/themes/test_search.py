"""The search as readers meet it: by keyboard, by eye, by ear; whatever titles, headings and queries are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.axe import RULES, violations
from tests.themes.conftest import PHONE
from tests.themes.site import HOSTILE
from tests.themes.visits import Visitor, happens, held

pytestmark = pytest.mark.browser

LONG = "filler " * 400
FILES = {
    "site.yml": "title: T\nurl: https://x.example/base\n",
    "docs/index.md": "# Start\n\nWelcome. See `sidebar_position` and `--strict`.\n",
    "docs/install.md": "# Install\n\nLead.\n\n"
    f"## Requirements\n\n{LONG} needle {LONG}\n\n## Windows\n\nSetup.\n",
    "docs/api.md": "# Interface\n\n## Read a page\n\n`GET /ai/page` answers.\n\n"
    "## Write a page\n\n`PUT /ai/page`\n",
    "docs/hostile.md": f"---\ntitle: '{HOSTILE}'\n---\n## `{HOSTILE}` heading\n\nhostiletext `{HOSTILE}`\n",
    "docs/text.md": "# Elsewhere\n\nHow to install it is told there.\n",
    "docs/zh.md": "# 搜索引擎\n\n全文检索。\n",
    "docs/fr.md": "# Déploiement\n\nRéférence.\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site at its base path."""
    folder = tmp_path_factory.mktemp("search")
    build(write_site(folder / "site", FILES), FolderOutput(folder / "host" / "base"))
    (folder / "host" / "404.html").write_text("")
    with site.served(folder / "host") as address:
        yield f"{address}/base"


@pytest.fixture
def reader(browser: Browser, served: str) -> Iterator[Visitor]:
    visitor = Visitor(browser, served)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def opened(reader: Visitor, query: str = "", path: str = "/docs/") -> Page:
    page = reader.go(path)
    page.keyboard.press("/")
    expect(page.get_by_role("combobox")).to_be_focused()
    if query:
        page.keyboard.insert_text(query)
        expect(page.get_by_role("option").first).to_be_visible()
    return page


def ask(page: Page, query: str) -> None:
    """Type a query in the place of the one before, whose results go first."""
    page.get_by_role("combobox").fill("")
    expect(page.get_by_role("option")).to_have_count(0)
    page.keyboard.insert_text(query)
    expect(page.get_by_role("option").first).to_be_visible()


def hrefs(page: Page) -> list[str]:
    return [option.get_attribute("href") or "" for option in page.get_by_role("option").all()]


@pytest.mark.parametrize("key", ["/", "Control+k", "Meta+k"])
def test_a_key_opens_the_search_and_escape_gives_the_focus_back(reader: Visitor, key: str) -> None:
    page = reader.go("/docs/")
    link = page.get_by_role("link", name="Install").first
    link.focus()
    page.keyboard.press(key)
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(link).to_be_focused()


def test_the_search_opens_at_once_and_what_is_typed_meanwhile_counts(reader: Visitor) -> None:
    page = reader.intercepted().go("/docs/")
    with held(page, "**/_tp/search.*") as waiting:
        page.keyboard.press("/")
        page.keyboard.type("needle")
        expect(page.get_by_role("combobox")).to_have_value("needle")
        happens(page, lambda: bool(waiting))
    expect(page.get_by_role("option").first).to_be_visible()


def test_a_pointer_that_comes_near_loads_the_search(reader: Visitor) -> None:
    page = reader.go("/docs/")
    with page.expect_response("**/_tp/search.json"):
        page.get_by_role("button", name="Search").hover()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_enter_goes_to_what_was_typed_though_it_is_not_found_yet(reader: Visitor) -> None:
    page = opened(reader.intercepted(), "page")
    page.route("**/_tp/search/*", lambda route: (page.wait_for_timeout(100), route.continue_()))
    page.get_by_role("combobox").fill("needle")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/install#requirements")


def test_a_script_that_did_not_come_is_told_and_enter_tries_again(reader: Visitor) -> None:
    page = reader.intercepted().go("/docs/")
    page.route("**/_tp/search.*.js*", lambda route: route.abort())
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("could not be loaded")
    # The page asks under a new address next time: the sign that it has taken note of a failure.
    asked = page.locator(".tp-search").get_attribute("data-search")
    page.get_by_role("combobox").fill("needle")
    expect(page.locator(".tp-search")).not_to_have_attribute("data-search", str(asked))
    page.unroute("**/_tp/search.*.js*")
    page.keyboard.press("Enter")
    expect(page.get_by_role("option").first).to_be_visible()
    reader.complaints.clear()


def test_nothing_of_the_search_is_loaded_before_it_is_asked_for(reader: Visitor) -> None:
    asked: list[str] = []
    reader.page.on("request", lambda request: asked.append(request.url))
    page = reader.go("/docs/")
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if "search" in url] == []
    with page.expect_response("**/_tp/search.*.css"):
        page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("dialog", name="Search")).to_be_visible()
    assert len([url for url in asked if "search" in url]) == 3


def test_arrows_choose_and_enter_goes(reader: Visitor) -> None:
    page = opened(reader, "page")
    found = hrefs(page)
    expect(page.get_by_role("option", selected=True)).to_have_attribute("href", found[0])
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", selected=True)).to_have_attribute("href", found[1])
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    chosen = page.get_by_role("option", selected=True)
    expect(chosen).to_have_attribute("href", found[-1])
    assert chosen.get_attribute("id") == page.get_by_role("combobox").get_attribute("aria-activedescendant")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{found[-1]}")


QUERIES = [
    ("install", "/base/docs/install"),
    ("instal", "/base/docs/install"),
    ("isntall", "/base/docs/install"),
    ("requiremnts", "/base/docs/install#requirements"),
    ("needle", "/base/docs/install#requirements"),
    ("windows setup", "/base/docs/install#windows"),
    ("sidebar_position", "/base/docs/"),
    ("--strict", "/base/docs/"),
    ("GET /ai/page", "/base/docs/api#read-a-page"),
    ("PUT /ai/page", "/base/docs/api#write-a-page"),
    ("检索", "/base/docs/zh"),
    ("deploiement", "/base/docs/fr"),
    ("reference", "/base/docs/fr"),
    ("how is it told", "/base/docs/text"),
]


def test_a_query_finds_its_place_first(reader: Visitor) -> None:
    page, found = opened(reader), {}
    for query, _ in QUERIES:
        ask(page, query)
        found[query] = hrefs(page)[0]
    assert found == dict(QUERIES)


def test_the_excerpt_is_cut_around_what_was_found(reader: Visitor) -> None:
    option = opened(reader, "needle").get_by_role("option").first
    expect(option.locator("mark")).to_have_text("needle")
    assert len(option.inner_text()) < 260


def test_small_words_are_not_marked_beside_others(reader: Visitor) -> None:
    marks = opened(reader, "how is the install").get_by_role("listbox").locator("mark")
    assert {text.lower() for text in marks.all_inner_texts()} == {"install"}


def test_results_are_counted_for_those_who_do_not_see(reader: Visitor) -> None:
    page = opened(reader, "page")
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("Pages: 1 of 1")
    page.get_by_role("combobox").fill("zzzzqqqq")
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("Nothing found for zzzzqqqq")
    expect(page.get_by_role("combobox")).to_have_attribute("aria-expanded", "false")


def test_hostile_titles_headings_and_queries_are_text(reader: Visitor) -> None:
    page = opened(reader)
    for query in ("hostiletext", "heading", HOSTILE, "onerror"):
        ask(page, query)
        expect(page.get_by_role("option").first).to_contain_text("<img src=x")
        assert page.locator("dialog img").count() == 0


def test_a_payload_in_the_address_is_text_in_the_field(reader: Visitor) -> None:
    page = reader.go("/docs/?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3Enothing")
    expect(page.get_by_role("combobox")).to_have_value(f"{HOSTILE}nothing")
    assert page.locator("dialog img").count() == 0


def test_what_was_opened_is_offered_when_nothing_is_typed(reader: Visitor) -> None:
    page = opened(reader, "windows")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/install#windows")
    page.keyboard.press("/")
    expect(page.get_by_role("option", name="Windows")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("Recently opened")


def test_pages_that_the_tab_was_on_are_offered_too(reader: Visitor) -> None:
    for path in ("/docs/", "/docs/install", "/docs/fr", "/docs/install", "/docs/api"):
        reader.go(path)
    page = opened(reader, path="/docs/api")
    expect(page.get_by_role("option")).to_have_text(["Install", "D\u00e9ploiement", "Start"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/fr")


def test_the_search_is_usable_by_all(reader: Visitor) -> None:
    page = opened(reader, "page")
    for scheme in RULES:
        page.emulate_media(color_scheme=scheme)
        assert violations(page, scheme, "dialog") == []


def test_the_dialog_fits_a_phone_and_any_direction(browser: Browser, served: str) -> None:
    visitor = Visitor(browser, served, viewport=PHONE)
    page = visitor.go("/docs/")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("combobox").fill("page")
    expect(page.get_by_role("option").first).to_be_visible()
    for direction in ("ltr", "rtl"):
        page.evaluate("(direction) => { document.documentElement.dir = direction; }", direction)
        box = page.get_by_role("dialog").bounding_box()
        # All that is not kept free for a scroll bar.
        assert box
        assert (box["y"], box["height"]) == (0, PHONE["height"])
        assert 0 <= box["x"] <= PHONE["width"] - box["width"] < 20
        assert page.evaluate("document.querySelector('#tp-found').scrollWidth <= innerWidth")
    visitor.close()


def test_without_script_there_is_no_button(browser: Browser, served: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served}/docs/")
    expect(page.locator(".tp-search")).to_be_hidden()
    context.close()


def test_a_lost_connection_is_told_and_the_next_attempt_works(reader: Visitor) -> None:
    page = opened(reader.intercepted())
    page.route("**/_tp/search/*", lambda route: route.fulfill(status=503))
    page.keyboard.insert_text("install")
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("could not be loaded")
    page.unroute("**/_tp/search/*")
    page.keyboard.press("Enter")
    expect(page.get_by_role("option").first).to_be_visible()
    reader.complaints.clear()


NO_TWINS: dict[str, dict[str, Any]] = {
    "not there": {"status": 404},
    "kept back": {"status": 403},
    "a page in its place": {"status": 200, "content_type": "text/html", "body": "<h1>Welcome</h1>"},
}


@pytest.mark.parametrize("answer", NO_TWINS.values(), ids=[*NO_TWINS])
def test_a_host_that_serves_no_twins_has_titles_and_headings(reader: Visitor, answer: dict[str, Any]) -> None:
    page, asked = opened(reader.intercepted()), []
    page.route("**/*.md", lambda route: (asked.append(route.request.url), route.fulfill(**answer)))
    for query, place in QUERIES:
        ask(page, query)
        assert hrefs(page)[0] == place
    ask(page, "windows setup")
    expect(page.get_by_role("option").first).to_contain_text("Windows")
    assert asked
    reader.complaints.clear()


ODD = {
    "emoji": "\U0001f469\u200d\U0001f467 needle",
    "symbols alone": "!!! --- ... ///",
    "ten thousand letters": "a" * 10_000,
    "ten thousand words": "needle " * 1500,
    "right to left": "\u05e9\u05dc\u05d5\u05dd needle",
    "quotes": '"needle" \u2018needle\u2019 `needle`',
    "names of script": "__proto__ constructor toString needle",
    "an expression": "[a-z]+(.*)\\ needle",
    "marks upon marks": "e" + "\u0301" * 500 + " needle",
}


def test_whatever_is_asked_for_is_answered(reader: Visitor) -> None:
    page = opened(reader)
    status = page.get_by_role("dialog").get_by_role("status")
    for query in ODD.values():
        page.get_by_role("combobox").fill("")
        expect(status).to_have_text("")
        page.evaluate(
            """(query) => {
              const field = document.querySelector("dialog input");
              field.value = query;
              field.dispatchEvent(new InputEvent("input", { bubbles: true }));
            }""",
            query,
        )
        expect(status).to_contain_text("Pages: 1 of 1" if "needle" in query else "Nothing found")


def test_the_newest_of_quick_queries_is_what_is_shown(reader: Visitor) -> None:
    page = opened(reader, "page")
    page.evaluate(
        """() => {
          const field = document.querySelector("dialog input");
          for (const query of ["install", "inter", "needle", "win", "windows"]) {
            field.value = query;
            field.dispatchEvent(new InputEvent("input", { bubbles: true }));
          }
        }"""
    )
    expect(page.get_by_role("option").first).to_have_attribute("href", "/base/docs/install#windows")
    page.wait_for_timeout(200)
    assert hrefs(page)[0] == "/base/docs/install#windows"


def test_a_key_that_an_input_method_takes_is_not_the_search_s(reader: Visitor) -> None:
    page = opened(reader, "page")
    page.evaluate(
        """() => document.querySelector("dialog input").dispatchEvent(
          new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, isComposing: true, bubbles: true }))"""
    )
    page.wait_for_timeout(200)
    assert page.url.endswith("/docs/")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_an_index_that_is_not_there_is_told_and_enter_tries_again(reader: Visitor) -> None:
    page = reader.intercepted().go("/docs/")
    page.route("**/_tp/search.json", lambda route: route.fulfill(status=404))
    page.keyboard.press("/")
    page.keyboard.insert_text("needle")
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("could not be loaded")
    page.unroute("**/_tp/search.json")
    page.keyboard.press("Enter")
    expect(page.get_by_role("option").first).to_be_visible()
    reader.complaints.clear()


def test_back_leads_to_where_the_search_was_used(reader: Visitor) -> None:
    page = opened(reader, "windows")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/install#windows")
    page.go_back()
    page.wait_for_url("**/docs/")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.go_forward()
    page.wait_for_url("**/docs/install#windows")


def test_the_choice_is_seen_where_colours_are_forced(browser: Browser, served: str) -> None:
    visitor = Visitor(browser, served, viewport={"width": 320, "height": 480}, forced_colors="active")
    page = opened(visitor, "page")
    chosen = page.get_by_role("option", selected=True)
    assert chosen.evaluate("(link) => getComputedStyle(link).outlineStyle") == "solid"
    assert page.evaluate("document.querySelector('dialog').scrollWidth <= innerWidth")
    close = page.get_by_role("button", name="Close search").bounding_box()
    assert close
    assert min(close["width"], close["height"]) >= 24
    assert close["x"] + close["width"] <= 320
    visitor.close()


def test_slash_is_a_letter_in_a_field(reader: Visitor) -> None:
    page = opened(reader)
    page.keyboard.type("a/b")
    expect(page.get_by_role("combobox")).to_have_value("a/b")


def test_the_search_is_for_screens(reader: Visitor) -> None:
    page = opened(reader, "page")
    page.emulate_media(media="print")
    expect(page.locator("dialog")).to_be_hidden()
