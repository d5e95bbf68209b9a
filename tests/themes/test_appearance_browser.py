"""The looks that `site.yml` gives to a site, in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.axe import violations
from tests.themes.conftest import DESKTOP, PHONE
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

CONFIG = """
title: Harbour
accent: "#facc15"
announcement: {text: Version 2 is out, href: /docs/guide}
css: [/brand.css]
nav: [{label: Guide, href: /docs/guide}]
"""
SITE = {
    "site.yml": CONFIG,
    "docs/index.md": "# Start\n\n[Link](./guide.md)\n\n## One\n\nText.\n\n## Two\n\nText.\n",
    "docs/guide.md": "# Guide\n\nText.\n",
    **{f"docs/more/page-{number}.md": "Text.\n" for number in range(40)},
    "static/brand.css": ".tp-prose h1 { letter-spacing: 3px; } p { color: rgb(1, 2, 3); }"
    "@media print { .tp-pager { display: flex; } }",
}
SHIFTS = """addEventListener("load", () => {
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
});"""
SIZES = {"desktop": DESKTOP, "phone": PHONE}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("looks")
    write_site(folder / "site", SITE)
    build(folder / "site", FolderOutput(folder / "built"))
    with site.served(folder / "built") as base:
        yield base


def announcement(page: Page) -> object:
    return page.get_by_role("complementary", name="Announcement")


@pytest.mark.parametrize("size", SIZES)
def test_an_announcement_that_was_put_away_stays_away(browser: Browser, address: str, size: str) -> None:
    visitor = Visitor(browser, address, viewport=SIZES[size])
    visitor.page.add_init_script(SHIFTS)
    page = visitor.go("/docs/")
    expect(announcement(page)).to_be_visible()
    page.get_by_role("button", name="Dismiss").focus()
    page.keyboard.press("Enter")
    expect(announcement(page)).to_be_hidden()
    expect(page.get_by_role("main")).to_be_focused()
    for path in ("/docs/", "/docs/guide"):
        page = visitor.go(path)
        expect(announcement(page)).to_be_hidden()
        page.wait_for_timeout(200)
        assert page.evaluate("window.shifts") <= 0.001
    page.evaluate("localStorage.setItem('tp-note', 'another')")
    expect(announcement(visitor.go("/docs/"))).to_be_visible()
    visitor.close()
    assert visitor.complaints == []


LAST = """() => {
  const menu = document.querySelector(".tp-menu");
  menu.scrollTop = 1e6;
  const seen = (part) => part.getBoundingClientRect().bottom <= innerHeight;
  return seen([...menu.querySelectorAll("a")].at(-1)) && scrollY === 0;
}"""
"""A test of whether the menu scrolls until its last page is seen, the page itself being at its top."""


def test_the_frame_leaves_room_for_an_announcement_and_in_low_windows_for_the_text(
    browser: Browser, address: str
) -> None:
    visitor = Visitor(browser, address, viewport=DESKTOP)
    page = visitor.go("/docs/")
    page.locator(".tp-announcement p").evaluate("(line) => line.append(' and more'.repeat(30))")
    assert page.evaluate(LAST)
    bar = page.locator(".tp-contents-bar")
    for height, position in ((800, "sticky"), (390, "static")):
        page.set_viewport_size({"width": 844, "height": height})
        expect(bar).to_have_css("position", position)
    page.set_viewport_size(DESKTOP)
    page = visitor.go("/docs/more/page-9")
    page.wait_for_timeout(100)
    last = page.locator(".tp-menu [aria-current]")
    assert last.evaluate("(link) => link.getBoundingClientRect().bottom <= innerHeight")
    (box,) = page.locator(".tp-announcement a").all()
    assert box.evaluate("(link) => link.getBoundingClientRect().height >= 24")
    visitor.close()
    assert visitor.complaints == []


def test_without_script_the_announcement_is_there_and_no_button(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, java_script_enabled=False)
    page = visitor.go("/docs/")
    expect(page.get_by_role("link", name="Version 2 is out")).to_be_visible()
    expect(page.get_by_role("button", name="Dismiss")).to_have_count(0)
    visitor.close()


def test_paper_has_no_announcement(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.go("/docs/")
    page.emulate_media(media="print")
    expect(page.locator(".tp-announcement")).to_be_hidden()
    expect(page.locator(".tp-header")).to_be_hidden()
    # What the site itself says of paper goes first there, too.
    expect(page.locator(".tp-pager")).to_have_css("display", "flex")
    visitor.close()


def test_styles_of_the_site_win(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.go("/docs/")
    expect(page.get_by_role("heading", level=1)).to_have_css("letter-spacing", "3px")
    expect(page.locator(".tp-contents p")).to_have_css("color", "rgb(1, 2, 3)")
    visitor.close()
    assert visitor.complaints == []


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ("desktop", "light"),
        ("phone", "dark"),
        pytest.param("desktop", "dark", marks=pytest.mark.slow),
        pytest.param("phone", "light", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing_whatever_the_accent_colour(
    browser: Browser, address: str, size: str, scheme: str
) -> None:
    visitor = Visitor(browser, address, viewport=SIZES[size], color_scheme=scheme)
    page = visitor.go("/docs/")
    page.evaluate("document.querySelector('[href$=\"/brand.css\"]').remove()")
    assert violations(page, scheme) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.close()
