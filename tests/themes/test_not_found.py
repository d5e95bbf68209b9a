"""The page for addresses that lead nowhere, in a browser: what it offers comes without a jump."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from tests.themes.conftest import DESKTOP, PHONE
from tests.themes.visits import Visitor, until

pytestmark = pytest.mark.browser

NEAR, FAR = "/docs/start/instal", "/zzz"
SHIFTS = """window.shift = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shift += value;
}).observe({ type: "layout-shift", buffered: true });
new MutationObserver((_, observer) => {
  if (!document.querySelector('.tp-nearest a[href="/docs/start/install"]')) return;
  window.named = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });"""
MOST_SHIFT = 0.01

PAGES = '() => [...document.querySelectorAll(".tp-nearest a")].map((link) => link.getAttribute("href"))'
SHOWN = """document.querySelector(".tp-nearest").checkVisibility({ visibilityProperty: true })
  && document.querySelector(".tp-footer").checkVisibility({ visibilityProperty: true })"""

WAITED = """() => window.named - performance.getEntriesByType("paint")[0].startTime"""
"""Milliseconds from the first paint to the near pages; on a machine that has much to do, the list of all
pages may lie there for long before the script comes to it."""


def after(seconds: float) -> Callable[[Route], None]:
    """Answers so late."""

    def answer(route: Route) -> None:
        time.sleep(seconds)
        route.continue_()

    return answer


def opened(visitor: Visitor, path: str, seconds: float) -> Page:
    """The page at a wrong address, where the list of pages comes after so many seconds."""
    visitor.page.add_init_script(SHIFTS)
    if seconds:
        visitor.page.route("**/_tp/pages.*", after(seconds))
    return visitor.go(path)


@pytest.mark.parametrize("seconds", [0.3, 1.6])
@pytest.mark.parametrize("view", [PHONE, DESKTOP])
def test_nothing_moves_when_near_pages_come(
    browser: Browser, sample: str, view: ViewportSize, seconds: float
) -> None:
    visitor = Visitor(browser, sample, viewport=view)
    page = opened(visitor, NEAR, seconds)
    found = page.locator('.tp-nearest a[href="/docs/start/install"]')
    expect(found).to_have_count(1)
    assert page.evaluate(SHOWN), "what is there waits for nothing more"
    page.wait_for_timeout(100)
    # What comes when others are read already comes after them.
    waited, targets = page.evaluate(WAITED), page.evaluate(PAGES)
    if not 600 < waited < 1200:
        assert targets[0] == ("/docs/start/install" if waited < 1000 else "/docs/")
    assert len(set(targets)) == len(targets)
    assert page.evaluate("shift") <= MOST_SHIFT
    visitor.close()
    assert visitor.complaints == []


def test_without_near_pages_there_is_no_hole(browser: Browser, sample: str) -> None:
    visitor = Visitor(browser, sample, viewport=PHONE)
    page = opened(visitor, FAR, 0)
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
