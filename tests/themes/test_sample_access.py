"""The sample site for people who listen to it, who enlarge it and who use a keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.themes import probes
from tests.themes.axe import RULES, violations
from tests.themes.conftest import PHONE
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": PHONE}
PAGES = ["/", "/docs/start/install", "/docs/components/", "/docs/publish/hosts/", "/docs/no-such-page"]
"""The home page, a guide, every component, a generated list of pages and the page that is not there."""
EACH_TIME = {("desktop", "/"), ("phone", "/docs/components/")}
PLACES = pytest.mark.parametrize(
    ("size", "path"),
    [
        pytest.param(size, path, marks=() if (size, path) in EACH_TIME else pytest.mark.slow)
        for size in SIZES
        for path in PAGES
    ],
)


def light_and_dark(page: Page, part: str | None = None) -> list[str]:
    """Return what axe finds on the page, or in a part of it, in either scheme."""
    found = []
    for scheme in RULES:
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {fault}" for fault in violations(page, scheme, part)]
    return found


@PLACES
def test_axe_finds_nothing_even_when_everything_is_open(
    browser: Browser, sample: str, size: str, path: str
) -> None:
    visitor = Visitor(browser, sample, viewport=SIZES[size])
    page = visitor.go(path)
    assert light_and_dark(page) == []
    page.evaluate(probes.OPEN_ALL)
    assert light_and_dark(page, "main") == [], "opened"
    if size == "phone":
        page.get_by_role("button", name="Menu", exact=True).click()
    assert light_and_dark(page, "#tp-menu") == [], "the menu, opened"
    visitor.close()
    assert visitor.complaints == []


def walk(page: Page, steps: int, key: str) -> Iterator[dict[str, Any]]:
    for _ in range(steps):
        page.keyboard.press(key)
        yield page.evaluate(probes.FOCUS)


@PLACES
def test_the_keyboard_reaches_everything_in_order_and_in_sight(
    browser: Browser, sample: str, size: str, path: str
) -> None:
    visitor = Visitor(browser, sample, viewport=SIZES[size])
    page = visitor.go(path)
    page.evaluate(probes.SETTLED)
    steps = page.evaluate(probes.STOPS)
    assert steps > 8
    there = list(walk(page, steps, "Tab"))
    # What stays at the top of the screen can cover something only on the way back; on phones that is most.
    back = list(walk(page, steps - 1, "Shift+Tab")) if size == "phone" else []
    assert [stop["at"] for stop in there] == list(range(steps))
    assert [stop["at"] for stop in back] == list(reversed(range(len(back))))
    assert [stop["name"] for stop in there + back if not stop["ringed"]] == []
    assert [stop["name"] for stop in there + back if not stop["seen"]] == []
    visitor.close()


@pytest.mark.parametrize("size", SIZES)
def test_the_skip_link_leads_past_the_menu(browser: Browser, sample: str, size: str) -> None:
    visitor = Visitor(browser, sample, viewport=SIZES[size])
    page = visitor.go("/docs/start/first-site")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("main :focus")).to_have_count(1)
    visitor.close()


def test_the_second_skip_link_leads_to_the_menu_which_comes_after_the_text(
    browser: Browser, sample: str
) -> None:
    visitor = Visitor(browser, sample, viewport=SIZES["desktop"])
    page = visitor.go("/docs/start/first-site")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to navigation")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#tp-menu :focus")).to_have_count(1)
    follows, left, right = page.evaluate("""() => {
        let menu = document.querySelector("#tp-menu"), text = document.querySelector("main");
        let sides = [menu, text].map((each) => each.getBoundingClientRect());
        let follows = text.compareDocumentPosition(menu) & Node.DOCUMENT_POSITION_FOLLOWING;
        return [Boolean(follows), sides[0].right, sides[1].left];
    }""")
    assert follows
    assert left <= right
    visitor.close()


@pytest.mark.parametrize("address", ["/docs/start/first-site", "/about"])
def test_a_phone_has_no_link_to_the_menu_that_is_closed(browser: Browser, sample: str, address: str) -> None:
    visitor = Visitor(browser, sample, viewport=PHONE)
    expect(visitor.go(address).get_by_role("link", name="Skip to navigation")).to_have_count(0)
    visitor.close()


@pytest.fixture
def reader(browser: Browser, sample: str) -> Iterator[Page]:
    """A phone with a long page, scrolled into, and its list of sections opened."""
    visitor = Visitor(browser, sample, viewport=PHONE)
    page = visitor.go("/docs/components/")
    page.get_by_role("heading", name="Embed").scroll_into_view_if_needed()
    contents(page).locator("summary").click()
    expect(contents(page)).to_have_attribute("open", "")
    yield page
    visitor.close()
    assert visitor.complaints == []


def contents(page: Page) -> Locator:
    return page.locator(".tp-contents-bar")


def test_the_list_of_sections_says_what_is_being_read(browser: Browser, sample: str) -> None:
    visitor = Visitor(browser, sample, viewport=PHONE)
    page = visitor.go("/docs/components/#codegroup")
    expect(contents(page).locator(".tp-contents-now")).to_have_text("CodeGroup")
    # Not `click`, which would scroll the page first, as the summary is a sticky one.
    contents(page).locator("summary").evaluate("(summary) => summary.click()")
    page.evaluate("scrollBy(0, 9)")
    page.evaluate(probes.SETTLED)
    expect(contents(page).locator("[aria-current]")).to_have_text("CodeGroup")
    visitor.close()


def test_escape_closes_the_list_of_sections_and_goes_back_to_its_button(reader: Page) -> None:
    contents(reader).get_by_role("link", name="Callout").focus()
    reader.keyboard.press("Escape")
    expect(contents(reader)).not_to_have_attribute("open", "")
    expect(contents(reader).locator("summary")).to_be_focused()


@pytest.mark.parametrize(("link", "key"), [("2.4", "Tab"), (None, "Shift+Tab")])
def test_the_list_of_sections_covers_nothing_that_the_keyboard_goes_on_to(
    reader: Page, link: str | None, key: str
) -> None:
    bar = contents(reader)
    (bar.get_by_role("link", name=link) if link else bar.locator("summary")).focus()
    reader.keyboard.press(key)
    expect(bar).not_to_have_attribute("open", "")
    reader.evaluate(probes.STOPS)
    assert reader.evaluate(probes.FOCUS)["seen"]


def test_the_list_of_sections_closes_when_the_page_is_touched_beside_it(reader: Page) -> None:
    reader.mouse.click(PHONE["width"] / 2, PHONE["height"] - 20)
    expect(contents(reader)).not_to_have_attribute("open", "")
