"""Menus and the button of the header, and columns and icons of the footer, in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.axe import violations
from tests.themes.conftest import DESKTOP, PHONE
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

CONFIG = """\
title: Harbour
language: {}
nav:
  - {{label: Start, href: /docs/start, sidebar: start}}
  - label: Products
    items:
      - {{label: Quay, href: /docs/quay/moor, sidebar: quay}}
      - {{label: The state of everything that we run for you, href: https://status.example.com}}
  - {{label: Sign up, href: https://app.harbour.example, primary: true}}
footer:
  columns:
    - {{label: Company, items: [{{label: About us, href: /about}}]}}
  social: {{github: https://github.com/example, rss: /docs/start, email: hello@example.com}}
sidebar:
  - {{name: start, label: Start, items: [docs/start, {{heading: More}}, pages/about]}}
  - {{name: quay, label: Quay, items: [docs/quay/moor, {{label: Deep, items: [docs/quay/pay]}}]}}
"""
PAGES = {
    "docs/start.md": "# Start\n\n## One\n\n## Two\n",
    "docs/quay/moor.md": "# Moor\n",
    "docs/quay/pay.md": "# Pay\n",
    "pages/about.md": "# About us\n",
}
LOOKS = {
    "desk": {"viewport": {"width": 1024, "height": 700}, "color_scheme": "light"},
    "desk dark": {"viewport": DESKTOP, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light"},
    "phone dark": {"viewport": PHONE, "color_scheme": "dark"},
}


@pytest.fixture(scope="module", params=["en", "ar"])
def address(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("navigation")
    write_site(folder / "site", {"site.yml": CONFIG.format(request.param), **PAGES})
    build(folder / "site", FolderOutput(folder / "built"))
    with site.served(folder / "built") as base:
        yield base


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_menu_opens_by_keyboard_and_closes_with_escape(
    browser: Browser, address: str, script: bool
) -> None:
    context = browser.new_context(java_script_enabled=script, viewport=DESKTOP)
    page = context.new_page()
    page.goto(f"{address}/docs/quay/moor")
    header = page.locator(".tp-header")
    button, first = header.get_by_role("button", name="Products"), header.get_by_role("link", name="Quay")
    expect(first).to_be_hidden()
    button.focus()
    page.keyboard.press("Enter")
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    page.keyboard.press("Escape")
    expect(first).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    expect(first).to_be_visible()
    page.mouse.click(600, 600)
    expect(first).to_be_hidden()
    context.close()


def test_the_arrow_keys_walk_through_a_menu_which_closes_when_the_focus_leaves_it(
    browser: Browser, address: str
) -> None:
    visitor = Visitor(browser, address, viewport=DESKTOP)
    page = visitor.go("/docs/quay/moor")
    header = page.locator(".tp-header")
    button, first = header.get_by_role("button", name="Products"), header.get_by_role("link", name="Quay")
    last = header.get_by_role("link", name="The state of")
    press = page.keyboard.press
    button.focus()
    press("Home")
    expect(first).to_be_hidden()
    for key, there in [
        ("ArrowDown", first),
        ("ArrowDown", last),
        ("ArrowDown", first),
        ("ArrowUp", last),
        ("Home", first),
        ("End", last),
    ]:
        press(key)
        expect(there).to_be_focused()
    press("Tab")
    expect(header.locator(".tp-search")).to_be_focused()
    expect(last).to_be_hidden()
    press("Shift+Tab")
    expect(button).to_be_focused()
    press("ArrowUp")
    expect(last).to_be_focused()
    press("Escape")
    expect(button).to_be_focused()
    expect(last).to_be_hidden()
    press("ArrowDown")
    press("Shift+Tab")
    expect(button).to_be_focused()
    expect(first).to_be_visible()
    press("Shift+Tab")
    expect(header.get_by_role("link", name="Start")).to_be_focused()
    expect(first).to_be_hidden()
    visitor.close()


def test_a_touch_opens_a_menu_and_one_beside_it_closes_it(browser: Browser, address: str) -> None:
    context = browser.new_context(has_touch=True, viewport=DESKTOP)
    page = context.new_page()
    page.goto(f"{address}/docs/quay/moor")
    first = page.locator(".tp-header").get_by_role("link", name="Quay")
    page.locator(".tp-nav-menu button").tap()
    expect(first).to_be_visible()
    page.touchscreen.tap(600, 600)
    expect(first).to_be_hidden()
    page.locator(".tp-nav-menu button").tap()
    first.tap()
    expect(first).to_be_hidden()
    context.close()


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_an_open_menu_is_for_everybody(browser: Browser, address: str, look: dict[str, object]) -> None:
    visitor = Visitor(browser, address, **look)
    page, is_phone = visitor.go("/docs/quay/moor"), look["viewport"] == PHONE
    if is_phone:
        page.locator(".tp-menu-open").click()
    else:
        page.locator(".tp-nav-menu button").click()
    shown = page.locator("#tp-menu" if is_phone else ".tp-nav-menu > div")
    expect(shown.get_by_role("link", name="Quay")).to_be_visible()
    expect(shown.locator("a[aria-current=true]")).to_have_text("Quay")
    button = page.locator(f"{'.tp-menu' if is_phone else '.tp-header'} .tp-primary")
    expect(button).to_be_visible()
    expect(page.locator(".tp-primary:visible")).to_have_count(1)
    room = page.evaluate("document.documentElement.clientWidth")
    for box in (shown.bounding_box(), button.bounding_box()):
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= room
    assert page.evaluate("document.documentElement.scrollWidth") <= room
    assert violations(page, str(look["color_scheme"])) == []
    visitor.close()


def test_a_menu_on_the_phone_opens_no_category_of_the_same_address(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, viewport=PHONE)
    page = visitor.go("/docs/start")
    page.locator(".tp-menu-open").click()
    page.locator(".tp-menu-nav summary").click()
    expect(page.locator(".tp-menu-nav").get_by_role("link", name="Quay")).to_be_visible()
    expect(page.locator(".tp-menu-nav").get_by_role("link", name="Products")).to_be_hidden()
    kept = page.evaluate("Object.keys(sessionStorage).filter((name) => name.includes('quay'))")
    assert kept == []
    visitor.close()


def test_the_footer_names_its_icons_and_paper_has_neither(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, viewport=PHONE)
    page = visitor.go("/about")
    icons = page.locator(".tp-social a")
    expect(icons.first).to_have_accessible_name("GitHub")
    assert icons.evaluate_all("(all) => all.map((one) => one.rel)") == ["me", "", ""]
    assert all(box["height"] >= 24 <= box["width"] for one in icons.all() if (box := one.bounding_box()))
    page.emulate_media(media="print")
    for part in (".tp-footer", ".tp-header", ".tp-menu"):
        expect(page.locator(part)).to_be_hidden()
    visitor.close()
