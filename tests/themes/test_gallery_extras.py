"""Extras at work when readers point, tap, press keys and follow links, with script and without it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.themes import pictures, probes
from tests.themes.axe import violations
from tests.themes.test_gallery import LOOKS
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

WORD, TIP = ".tp-tooltip-word", ".tp-tooltip-tip"


def test_a_tooltip_is_shown_to_the_pointer_and_to_the_keyboard_until_escape(reader: Visitor) -> None:
    page = reader.go("/docs/extras")
    word, tip = page.locator(WORD).first, page.locator(TIP).first
    expect(tip).to_be_hidden()
    word.hover()
    expect(tip).to_be_visible()
    assert violations(page, "light") == []
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.mouse.move(0, 0)
    word.focus()
    expect(tip).to_be_visible()
    expect(word).to_have_accessible_description(tip.inner_text())
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_what_a_tooltip_says_is_within_the_window(
    browser: Browser, gallery: str, look: str, script: bool
) -> None:
    visitor = Visitor(browser, gallery, **LOOKS[look], java_script_enabled=script)
    page = visitor.go("/docs/extras") if script else visitor.page
    page.goto(f"{gallery}/docs/extras")
    word, tip = page.locator(WORD).nth(2), page.locator(TIP).nth(2)
    if look.startswith("phone") and script:
        word.tap()
    else:
        word.focus()
    expect(tip).to_be_visible()
    box, size = tip.bounding_box(), page.viewport_size
    assert box
    assert size
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    visitor.close()
    assert visitor.complaints == []


def test_an_image_of_a_frame_is_shown_alone_and_the_focus_comes_back(reader: Visitor) -> None:
    page = reader.go("/docs/extras")
    link, dialog = page.locator("a.tp-zoom").first, page.locator("dialog.tp-zoomed")
    link.focus()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    expect(dialog).to_have_accessible_name("A wide image")
    assert violations(page, "light") == []
    assert page.evaluate(probes.SIDEWAYS) <= 0
    pictures.keep(page, "desktop light", "zoomed")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(link).to_be_focused()
    link.click()
    dialog.get_by_role("button", name="Dismiss").click()
    expect(dialog).to_have_count(0)
    assert page.url.endswith("/docs/extras")


def shown(page: Page) -> list[str]:
    pair = page.locator(".tp-light, .tp-dark")
    return [str(one.get_attribute("class")) for one in pair.all() if one.is_visible()]


def test_a_frame_has_its_other_image_on_dark_pages_whoever_chose_them(reader: Visitor) -> None:
    page = reader.go("/docs/extras")
    assert shown(page) == ["tp-zoom tp-light"]
    page.emulate_media(color_scheme="dark")
    assert shown(page) == ["tp-zoom tp-dark"]
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert shown(page) == ["tp-zoom tp-light"]
    page.emulate_media(color_scheme="light")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert shown(page) == ["tp-zoom tp-dark"]
    page.emulate_media(media="print")
    assert shown(page) == ["tp-zoom tp-light"]


@pytest.mark.parametrize(("place", "words"), [("with-pnpm", "With pnpm."), ("more", "Within details.")])
def test_a_link_shows_a_tab_and_details(reader: Visitor, place: str, words: str) -> None:
    page = reader.go("/docs/extras")
    text = page.get_by_text(words)
    expect(text).to_be_hidden()
    page.evaluate("(place) => { location.hash = place; }", place)
    expect(text).to_be_visible()
    expect(text).to_be_in_viewport()
    reader.page.goto("about:blank")
    expect(reader.go(f"/docs/extras#{place}").get_by_text(words)).to_be_visible()


def test_without_script_a_link_leads_to_a_tab_and_to_details(browser: Browser, gallery: str) -> None:
    visitor = Visitor(browser, gallery, java_script_enabled=False, viewport={"width": 1280, "height": 600})
    for place, words in (("with-pnpm", "With pnpm."), ("more", "More")):
        visitor.page.goto(f"{gallery}/docs/extras#{place}")
        expect(visitor.page.locator("main").get_by_text(words, exact=True)).to_be_in_viewport()
    link = visitor.page.locator("a.tp-zoom").first
    expect(link).to_have_attribute("href", "/wide.png")
    visitor.close()
    assert visitor.complaints == []


def test_a_page_loads_the_files_of_the_extras_that_it_uses_alone(reader: Visitor) -> None:
    asked: list[str] = []
    reader.page.on("request", lambda request: asked.append(request.url.rpartition("/")[2].partition(".")[0]))
    reader.go("/docs/boxes")
    extras = {"badge", "columns", "definition-lists", "file-tree", "frame", "tooltip", "update"}
    assert not extras & set(asked)
    reader.go("/docs/extras")
    assert extras <= set(asked)
    assert sorted(name for name in asked if name in extras) == sorted([*extras, "frame", "tooltip"])
