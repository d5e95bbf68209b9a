"""Every control of every component, worked with the keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.themes import probes
from tests.themes.conftest import PHONE
from tests.themes.visits import Visitor, until

pytestmark = pytest.mark.browser

SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": PHONE}


def walk(page: Page, steps: int, key: str) -> Iterator[dict[str, Any]]:
    for _ in range(steps):
        page.keyboard.press(key)
        yield page.evaluate(probes.FOCUS)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("folding", "phone"),
        ("requests", "desktop"),
        ("extras", "desktop"),
        # The order of what is on a page is the same on each screen.
        pytest.param("folding", "desktop", marks=pytest.mark.slow),
        pytest.param("requests", "phone", marks=pytest.mark.slow),
        pytest.param("extras", "phone", marks=pytest.mark.slow),
    ],
)
def test_the_keyboard_reaches_every_control_in_order_and_in_sight(
    browser: Browser, gallery: str, name: str, size: str
) -> None:
    reader = Visitor(browser, gallery, viewport=SIZES[size])
    page = reader.go(f"/docs/{name}")
    page.evaluate(probes.OPEN_ALL)
    page.evaluate("document.querySelector('.tp-contents-bar').open = false")
    page.evaluate(probes.SETTLED)
    steps = page.evaluate(probes.STOPS)
    there = list(walk(page, steps, "Tab"))
    back = list(walk(page, steps - 1, "Shift+Tab"))
    assert [stop["at"] for stop in there] == list(range(steps))
    assert [stop["at"] for stop in back] == list(reversed(range(len(back))))
    assert [stop["name"] for stop in there + back if not (stop["ringed"] and stop["seen"])] == []
    reader.close()
    assert reader.complaints == []


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_opens_and_closes_accordions_and_details(reader: Visitor, key: str) -> None:
    page = reader.go("/docs/folding")
    for words in ("Yes. They are plain files in folders.", "Text in them."):
        text = page.get_by_text(words)
        expect(text).to_be_hidden()
        summary = page.locator("details", has=text).locator("summary")
        summary.focus()
        page.keyboard.press(key)
        expect(text).to_be_visible()
        page.keyboard.press(key)
        expect(text).to_be_hidden()


def test_a_link_to_an_accordion_opens_it(reader: Visitor) -> None:
    page = reader.go("/docs/folding#can-i-take-my-pages-with-me")
    expect(page.get_by_text("Yes. They are plain files in folders.")).to_be_visible()
    page = reader.go("/docs/folding")
    page.evaluate("location.hash = 'can-i-take-my-pages-with-me'")
    expect(page.get_by_text("Yes. They are plain files in folders.")).to_be_in_viewport()


UNCOVERED = """(element) => {
  const { left, right, top } = element.getBoundingClientRect();
  return [left + 12, right - 8].every((x) => element.contains(document.elementFromPoint(x, top + 12)));
}"""


def chosen(page: Page) -> list[str]:
    return [tab.inner_text() for tab in page.locator(".tp-tabs [aria-selected=true]:visible").all()]


def test_arrows_choose_tabs_in_every_group_of_the_name_and_move_nothing(reader: Visitor) -> None:
    page = reader.go("/docs/folding")
    page.evaluate(probes.OPEN_ALL)
    tab = page.get_by_role("tab", name="npm", exact=True).last
    tab.focus()
    page.evaluate(probes.SETTLED)
    before = tab.bounding_box()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Tabs in steps in accordions: pnpm.")).to_be_visible()
    assert chosen(page) == ["pnpm", "A label that is long", "Single", "Outer", "pnpm", "pnpm", "pnpm"]
    after = tab.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(tab).to_be_focused()
    expect(page.get_by_text("Tabs in steps in accordions: npm.")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_the_last_of_many_tabs_can_be_seen_when_it_is_chosen(
    browser: Browser, gallery: str, size: str
) -> None:
    reader = Visitor(browser, gallery, viewport=SIZES[size])
    page = reader.go("/docs/folding")
    page.get_by_role("tab", name="A label that is long", exact=True).focus()
    page.keyboard.press("End")
    last = page.get_by_role("tab", name="Twenty")
    expect(last).to_be_in_viewport(ratio=0.99)
    expect(page.get_by_text("The twentieth.")).to_be_visible()
    page.reload()
    page.get_by_role("tabpanel", name="Twenty").scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=0.99)
    reader.go("/docs/code")
    page.get_by_role("tab", name="npm", exact=True).focus()
    page.keyboard.press("End")
    last = page.get_by_role("tab", name="gradle")
    expect(last).to_be_in_viewport(ratio=0.99)
    assert last.evaluate(UNCOVERED)
    reader.close()
    assert reader.complaints == []


def test_a_parameter_leads_to_itself_and_can_be_told_from_others(reader: Visitor) -> None:
    page = reader.go("/docs/requests")
    name = page.get_by_role("link", name="format", exact=True)
    name.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{page.url.split('#')[0]}#param-format")
    expect(page.locator(".tp-param:target dt")).to_contain_text("format")
    plain = page.locator(".tp-param:not(:target)").first.evaluate(
        "(row) => getComputedStyle(row).backgroundColor"
    )
    expect(page.locator(".tp-param:target")).not_to_have_css("background-color", plain)


def test_an_embed_loads_when_its_button_is_pressed_and_has_a_link_beside_it(
    browser: Browser, gallery: str
) -> None:
    reader = Visitor(browser, gallery)
    page = reader.go("/docs/folding")
    embed = page.locator(".tp-embed").first
    expect(embed.get_by_role("link", name="Open on youtube.com")).to_be_visible()
    assert reader.complaints == []
    embed.get_by_role("button", name="Load Big Buck Bunny, an open film").focus()
    page.keyboard.press("Enter")
    expect(embed.get_by_role("button")).to_have_count(0)
    # While the browser moves the frame to another process it says that no page has the focus.
    until(page, "document.activeElement.tagName === 'IFRAME'")
    expect(page.locator("iframe")).to_have_count(1)
    reader.close()
    # The browser of the tests reaches no other host: here only the policy has to have no complaint.
    assert [told for told in reader.complaints if "policy:" in told] == []


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("folding#a-heading-in-an-answer", "The answer has a heading that addresses lead to."),
        ("folding#behind-the-last-tab", "The twentieth."),
    ],
)
def test_an_address_opens_what_it_leads_to(reader: Visitor, address: str, words: str) -> None:
    page = reader.go(f"/docs/{address}")
    expect(page.get_by_text(words)).to_be_in_viewport()


@pytest.mark.parametrize("words", ["Hidden twice.", "The other of the inner ones.", "The twentieth."])
def test_the_search_of_the_browser_opens_what_it_finds(reader: Visitor, words: str) -> None:
    page = reader.go("/docs/folding")
    expect(page.get_by_text(words)).to_be_hidden()
    # A link to a piece of text has the browser search for it.
    page = reader.go(f"/docs/folding#:~:text={quote(words)}")
    expect(page.get_by_text(words)).to_be_in_viewport()
