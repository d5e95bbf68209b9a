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

PAGES = '() => [...document.querySelectorAll(".tp-nearest a")].map((link) => link.getAttribute("href"))'
SHOWN = """document.querySelector(".tp-nearest")?.checkVisibility({ visibilityProperty: true })
  && document.querySelector(".tp-footer")?.checkVisibility({ visibilityProperty: true })"""


WAIT, LONG_WAIT = "transition:0s 1s", "transition:0s 1000s"


def opened(visitor: Visitor, path: str) -> Page:
    """The page at a wrong address, where all else waits for the list of pages for as long as it takes.

    On a busy machine the list may need longer than the second that the theme gives it.
    """
    visitor.page.add_init_script(SHIFTS)
    visitor.page.route("**/_tp/*.css", wait_longer)
    return visitor.go(path)


def wait_longer(route: Route) -> None:
    answer = route.fetch()
    rules = answer.text()
    assert rules.count(WAIT) == 1
    route.fulfill(response=answer, body=rules.replace(WAIT, LONG_WAIT))


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


@pytest.mark.parametrize(("open_page", "first"), [(opened, "/docs/start/install"), (opened_late, "/docs/")])
@pytest.mark.parametrize("view", [PHONE, DESKTOP])
def test_nothing_moves_when_near_pages_come(
    browser: Browser, sample: str, view: ViewportSize, open_page: Callable[[Visitor, str], Page], first: str
) -> None:
    visitor = Visitor(browser, sample, viewport=view)
    page = open_page(visitor, NEAR)
    found = page.locator('.tp-nearest a[href="/docs/start/install"]')
    expect(found).to_have_count(1)
    assert page.evaluate(SHOWN), "what is there waits for nothing more"
    page.wait_for_timeout(100)
    # What comes when others are read already comes after them.
    targets = page.evaluate(PAGES)
    assert targets[0] == first
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
