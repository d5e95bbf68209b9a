"""The tools of a page in a browser: copying it, links of headings, and what search engines read."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.axe import violations
from tests.themes.conftest import DESKTOP, PHONE
from tests.themes.visits import Visitor, until

pytestmark = pytest.mark.browser

SITE = {
    "site.yml": "title: Harbour\nurl: https://docs.harbour.example/base\n",
    "docs/index.md": "# Start\n\nText.\n",
    "docs/guide/_category_.yml": 'label: "</script><b>Guide & more</b>"\n',
    "docs/guide/tides.md": "# Tides\n\nÄbb und Flut.\n\n## High & low\n\n```\nmoor --now\n```\n"
    + "\nWords.\n" * 60,
}
PAGE = "/base/docs/guide/tides"
SIZES = {"desktop": DESKTOP, "phone": PHONE}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("tools")
    write_site(folder / "site", SITE)
    build(folder / "site", FolderOutput(folder / "built" / "base"))
    with site.served(folder / "built") as base:
        yield base


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    made = Visitor(browser, address, permissions=["clipboard-read", "clipboard-write"])
    yield made
    made.close()
    assert made.complaints == []


def clipboard(page: Page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def test_a_page_is_copied_as_its_twin(visitor: Visitor) -> None:
    page = visitor.go(PAGE)
    page.get_by_role("button", name="Copy page").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    expect(page.get_by_role("status")).to_have_css("position", "fixed")
    twin = page.request.get(page.url + ".md").text()
    assert twin.partition("\n\n")[2].startswith("# Tides")
    assert clipboard(page) == twin
    expect(page.get_by_role("status")).to_have_text("")


def test_the_keyboard_copies_too(visitor: Visitor) -> None:
    page = visitor.go(PAGE)
    button = page.get_by_role("button", name="Copy page")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Copied")
    expect(button).to_be_focused()


def test_a_twin_that_cannot_be_fetched_is_opened(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.go(PAGE)
    page.evaluate("document.querySelector('[data-twin]').dataset.twin = '/base/gone.md'")
    page.get_by_role("button", name="Copy page").click()
    page.wait_for_url("**/gone.md")
    visitor.close()


def test_over_plain_http_things_are_copied_all_the_same(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address.replace("127.0.0.1", "plain.test"))
    page = visitor.go(PAGE)
    assert page.evaluate("isSecureContext") is False
    for name in ("Copy page", "Copy code"):
        button = page.get_by_role("button", name=name)
        button.press("Enter")
        expect(page.get_by_role("status")).to_have_text("Copied")
        expect(button).to_be_focused()
    link = page.get_by_role("link", name="Link to High & low")
    link.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Link copied")
    expect(link).to_be_focused()
    visitor.close()
    assert visitor.complaints == []


def test_nothing_is_said_to_be_copied_that_is_not(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address.replace("127.0.0.1", "plain.test"))
    visitor.page.add_init_script("document.execCommand = () => false")
    page = visitor.go(PAGE)
    page.get_by_role("button", name="Copy code").click()
    until(page, "getSelection().toString().trim() === 'moor --now'")
    page.get_by_role("link", name="Link to High & low").click()
    page.wait_for_url("**#high--low")
    page.wait_for_timeout(200)
    expect(page.get_by_role("status")).to_have_text("")
    page.get_by_role("button", name="Copy page").click()
    page.wait_for_url("**/tides.md")
    visitor.close()


def test_the_link_of_a_heading_is_copied_and_followed(visitor: Visitor) -> None:
    page = visitor.go(PAGE)
    page.get_by_role("link", name="Link to High & low").click()
    expect(page.get_by_role("status")).to_have_text("Link copied")
    assert page.url.endswith("#high--low")
    assert clipboard(page) == page.url


def test_tools_are_loaded_when_they_are_needed(visitor: Visitor) -> None:
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    page = visitor.go(PAGE)
    assert not [url for url in asked if "/tools." in url]
    page.get_by_role("button", name="Copy page").hover()
    until(page, "document.adoptedStyleSheets.length === 1")
    assert len([url for url in asked if "/tools." in url]) == 1


def test_without_script_there_is_the_link_to_the_twin(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, java_script_enabled=False)
    page = visitor.go(PAGE)
    expect(page.get_by_role("button", name="Copy page")).to_have_count(0)
    expect(page.get_by_role("link", name="View as Markdown")).to_have_attribute("href", f"{PAGE}.md")
    visitor.close()


def test_search_engines_read_the_way_to_a_page(visitor: Visitor) -> None:
    page = visitor.go(PAGE)
    data = json.loads(page.locator("script[type='application/ld+json']").text_content() or "")
    url = "https://docs.harbour.example/base"
    assert data["@type"] == "BreadcrumbList"
    assert [(each["position"], each["name"], each.get("item")) for each in data["itemListElement"]] == [
        (1, "</script><b>Guide & more</b>", f"{url}/docs/guide/"),
        (2, "Tides", None),
    ]
    assert page.locator("link[rel=canonical]").get_attribute("href") == f"{url}/docs/guide/tides"


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ("desktop", "light"),
        ("phone", "dark"),
        pytest.param("desktop", "dark", marks=pytest.mark.slow),
        pytest.param("phone", "light", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing_while_the_toast_is_shown(
    browser: Browser, address: str, size: str, scheme: str
) -> None:
    visitor = Visitor(browser, address, viewport=SIZES[size], color_scheme=scheme)
    page = visitor.go(PAGE)
    page.get_by_role("button", name="Copy page").click()
    expect(page.get_by_role("status")).to_have_css("position", "fixed")
    assert violations(page, scheme) == []
    visitor.close()


def test_paper_shows_no_tools(visitor: Visitor) -> None:
    page = visitor.go(PAGE)
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Copy page")).to_have_count(0)
