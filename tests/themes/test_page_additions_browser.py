"""The menu of a page, and statistics that the policy lets in, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.axe import violations
from tests.themes.conftest import DESKTOP, PHONE
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

SITE = {
    "site.yml": """\
title: Harbour
url: https://docs.harbour.example
page_menu: [copy, markdown, claude, chatgpt]
feedback: "https://git.harbour.example/new?title={title}"
analytics:
  plausible: docs.harbour.example
  google: G-ABC123DEF4
""",
    "docs/tides.md": "# Tides of the long northern harbour\n\nText.\n\n## High\n\n## Low\n",
}
TELLS = """
fetch("https://plausible.io/api/event", {method: "POST", body: document.currentScript.dataset.domain});
fetch("https://other.example/steal").catch(() => {});
"""
GOOGLE = "window.told = window.dataLayer.map(each => each[0]);"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("additions")
    write_site(folder / "site", SITE)
    build(folder / "site", FolderOutput(folder / "built"))
    with site.served(folder / "built") as base:
        yield base


def answer(page: Page, asked: list[str]) -> None:
    """Be all hosts but ours, and remember what they were asked for."""

    def fulfil(route: Route) -> None:
        request = route.request
        asked.append(f"{request.method} {request.url} {request.post_data or ''}".strip())
        script = TELLS if request.url.endswith("/script.js") else GOOGLE
        allowed = {"Access-Control-Allow-Origin": "*"}
        route.fulfill(body=script, content_type="text/javascript", headers=allowed)

    page.route(lambda url: "127.0.0.1" not in url, fulfil)


def test_the_scripts_of_providers_run_and_reach_their_hosts_alone(browser: Browser, address: str) -> None:
    page, asked = browser.new_page(), list[str]()
    answer(page, asked)
    page.goto(f"{address}/docs/tides")
    page.wait_for_function("window.told")
    assert page.evaluate("window.told") == ["js", "config"]
    assert sorted(asked) == [
        "GET https://plausible.io/js/script.js",
        "GET https://www.googletagmanager.com/gtag/js?id=G-ABC123DEF4",
        "POST https://plausible.io/api/event docs.harbour.example",
    ]
    page.close()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_the_menu_opens_by_keyboard_and_closes_with_escape(
    browser: Browser, address: str, script: bool
) -> None:
    context = browser.new_context(java_script_enabled=script, viewport=DESKTOP)
    page = context.new_page()
    answer(page, [])
    page.goto(f"{address}/docs/tides")
    button = page.get_by_role("button", name="More for this page")
    first = page.get_by_role("link", name="Open in Claude")
    expect(first).to_be_hidden()
    button.focus()
    page.keyboard.press("Enter")
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#tp-page-menu").get_by_role("link", name="View as Markdown")).to_be_focused()
    page.keyboard.press("Escape")
    expect(first).to_be_hidden()
    expect(button).to_be_focused()
    context.close()


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["light", "dark"])
def test_the_open_menu_is_for_everybody(
    browser: Browser, address: str, size: dict[str, int], scheme: str
) -> None:
    visitor = Visitor(browser, address, viewport=size, color_scheme=scheme)
    answer(visitor.page, [])
    page = visitor.go("/docs/tides")
    page.get_by_role("button", name="More for this page").click()
    menu = page.locator("#tp-page-menu")
    expect(menu).to_be_visible()
    box = menu.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.evaluate("document.documentElement.clientWidth")
    assert violations(page, scheme) == []
    visitor.close()
