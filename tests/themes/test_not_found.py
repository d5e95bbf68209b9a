"""The page for addresses that lead nowhere, in a browser: what it offers comes without a jump."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from tests.themes.conftest import DESKTOP, PHONE
from tests.themes.visits import Visitor, happens, until

pytestmark = pytest.mark.browser

NEAR, FAR = "/docs/start/instal", "/zzz"
SHIFTS = """window.shift = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shift += value;
}).observe({ type: "layout-shift", buffered: true });"""
MOST_SHIFT = 0.01
NEAREST, LISTED = "/docs/start/install", "/docs/"
NOTE = f"""const look = () => {{
  const list = document.querySelector(".tp-nearest");
  if (document.querySelector('.tp-nearest a[href="{NEAREST}"]')) return;
  window.seen ||= !!list?.checkVisibility({{ visibilityProperty: true }});
  requestAnimationFrame(look);
}};
requestAnimationFrame(look);"""

PAGES = '() => [...document.querySelectorAll(".tp-nearest a")].map((link) => link.getAttribute("href"))'
SHOWN = """document.querySelector(".tp-nearest")?.checkVisibility({ visibilityProperty: true })
  && document.querySelector(".tp-footer")?.checkVisibility({ visibilityProperty: true })"""


def opened(visitor: Visitor, path: str) -> Page:
    """The page at a wrong address; it notes whether its own list was seen before the nearest pages came."""
    visitor.page.add_init_script(SHIFTS)
    visitor.page.add_init_script(NOTE)
    return visitor.go(path)


def opened_late(visitor: Visitor, path: str) -> Page:
    """The page at a wrong address, where the list of pages comes when the rest has been shown."""
    visitor.page.add_init_script(SHIFTS)
    held: list[Route] = []
    visitor.page.route("**/_tp/pages.*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright sets a mark on it
    visitor.page.goto(visitor.base + path, wait_until="commit")
    until(visitor.page, SHOWN)
    happens(visitor.page, lambda: bool(held))
    held[0].continue_()
    return visitor.page


@pytest.mark.parametrize("open_page", [opened, opened_late])
@pytest.mark.parametrize("view", [PHONE, DESKTOP])
def test_nothing_moves_when_near_pages_come(
    browser: Browser, sample: str, view: ViewportSize, open_page: Callable[[Visitor, str], Page]
) -> None:
    visitor = Visitor(browser, sample, viewport=view)
    page = open_page(visitor, NEAR)
    found = page.locator(f'.tp-nearest a[href="{NEAREST}"]')
    expect(found).to_have_count(1)
    assert page.evaluate(SHOWN), "what is there waits for nothing more"
    page.wait_for_timeout(100)
    # What comes when others are read already comes after them: where it is late, or the machine is busy.
    targets = page.evaluate(PAGES)
    assert targets[0] == (LISTED if open_page is opened_late or page.evaluate("window.seen") else NEAREST)
    assert len(set(targets)) == len(targets)
    assert page.evaluate("shift") <= MOST_SHIFT
    visitor.close()
    assert visitor.complaints == []


def test_without_near_pages_there_is_no_hole(browser: Browser, sample: str) -> None:
    visitor = Visitor(browser, sample, viewport=PHONE)
    page = opened(visitor, FAR)
    until(page, SHOWN)
    with_script = page.locator(".tp-footer").bounding_box()
    assert page.evaluate("shift") <= MOST_SHIFT
    visitor.close()
    visitor = Visitor(browser, sample, viewport=PHONE, java_script_enabled=False)
    page = visitor.go(FAR)
    expect(page.locator(".tp-nearest")).to_be_visible()
    assert page.locator(".tp-footer").bounding_box() == with_script
    visitor.close()


def test_a_list_of_pages_that_cannot_be_had_leaves_the_rest(browser: Browser, sample: str) -> None:
    page = browser.new_page(viewport=PHONE)
    page.route("**/_tp/pages.*", lambda route: route.abort())
    page.goto(sample + NEAR)
    until(page, SHOWN)
    page.close()
    page = browser.new_page(viewport=PHONE)
    page.route("**/_tp/notfound.*", lambda route: route.abort())
    page.goto(sample + NEAR)
    until(page, SHOWN)
    page.close()
