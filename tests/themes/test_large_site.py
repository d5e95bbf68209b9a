"""A site of more than 300 pages in a browser: its menu holds some of them, and the rest on demand."""

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

DEEP = "/".join(f"level-{number}" for number in range(6))
FILES = {
    "site.yml": "title: Large\nurl: https://large.example/base\n",
    "docs/index.md": "# Start\n",
    **{f"docs/wide/entry-{number:03}.md": f"# Entry {number:03}\n" for number in range(260)},
    **{f"docs/many/folder-{number:02}/page.md": f"# Page {number:02}\n" for number in range(40)},
    f"docs/{DEEP}/last.md": "# Last\n",
    "docs/open/_category_.yml": "collapsed: false\n",
    "docs/open/always.md": "# Always\n",
}
ENTRIES = """() => ({
  entries: document.querySelectorAll(".tp-menu li").length,
  seen: (({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
    document.querySelector(".tp-menu [aria-current]").getBoundingClientRect()),
})"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("large")
    out = FolderOutput(folder / "built" / "base")
    assert build(write_site(folder / "site", FILES), out).diagnostics == ()
    (folder / "built" / "404.html").symlink_to(folder / "built" / "base" / "404.html")
    with site.served(folder / "built") as base:
        yield base


def test_a_large_menu_is_a_window_that_the_keyboard_opens(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, viewport=DESKTOP)
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    page = visitor.go("/base/docs/wide/entry-130")
    menu = page.locator(".tp-menu")
    many = menu.get_by_label("Many: pages")
    expect(many).to_have_count(1)
    assert len(asked) <= 4
    # 200 neighbours, the link to all of them, and the top of the tree with what is always open.
    assert page.evaluate(ENTRIES) == {"entries": 207, "seen": True}
    expect(menu.get_by_role("link", name="All of Wide")).to_have_attribute("href", "/base/docs/wide/")
    many.press("Enter")
    expect(menu.get_by_role("link", name="Folder 39")).to_be_visible()
    expect(many).to_be_focused()
    page.keyboard.press("Tab")
    expect(menu.get_by_role("link", name="Folder 00")).to_be_focused()
    menu.get_by_label("Folder 00: pages").press("Enter")
    expect(menu.get_by_role("link", name="Page 00")).to_have_attribute(
        "href", "/base/docs/many/folder-00/page"
    )
    assert len([url for url in asked if "/pages." in url]) == 1
    assert violations(page, "light") == []
    visitor.close()
    assert visitor.complaints == []


def test_what_was_opened_in_a_large_menu_stays_open_and_in_its_place(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, viewport=DESKTOP)
    page = visitor.go("/base/docs/")
    menu = page.locator(".tp-menu")
    menu.get_by_label("Many: pages").press("Enter")
    menu.get_by_label("Folder 30: pages").press("Enter")
    expect(menu.get_by_role("link", name="Page 30")).to_be_visible()
    place = menu.evaluate("(menu) => (menu.scrollTop = 1e6, menu.scrollTop)")
    assert place > 500
    page = visitor.go("/base/docs/open/always")
    expect(menu.get_by_role("link", name="Page 30")).to_be_visible()
    expect(menu.get_by_role("link", name="Page 29")).to_have_count(0)
    expect(menu).to_have_js_property("scrollTop", place)
    assert page.evaluate(ENTRIES)["seen"] is True
    menu.get_by_label("Many: pages").press("Enter")
    page = visitor.go("/base/docs/")
    expect(menu.get_by_label("Many: pages")).to_have_count(1)
    expect(menu.get_by_role("link", name="Folder 30")).to_be_hidden()
    visitor.close()
    assert visitor.complaints == []


def test_on_a_phone_a_deep_menu_opens_at_the_current_page(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, viewport=PHONE)
    page = visitor.go(f"/base/docs/{DEEP}/last")
    page.get_by_role("button", name="Menu", exact=True).press("Enter")
    expect(page.locator(".tp-menu [aria-current]")).to_be_visible()
    assert page.evaluate(ENTRIES)["seen"] is True
    assert page.evaluate("document.querySelector('.tp-menu').scrollWidth <= innerWidth")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Menu", exact=True)).to_be_focused()
    visitor.close()
    assert visitor.complaints == []


def test_the_page_that_is_not_there_names_the_nearest_of_very_many(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, viewport=DESKTOP)
    page = visitor.go("/base/docs/wide/entri-130.html")
    wanted = "/base/docs/wide/entry-130"
    found = page.locator(".tp-nearest ul").filter(has=page.locator(f'[href="{wanted}"]')).get_by_role("link")
    expect(found).to_have_count(5)
    expect(found.first).to_have_attribute("href", wanted)
    visitor.close()


def test_without_script_every_page_of_a_large_site_can_be_reached(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, java_script_enabled=False)
    page = visitor.go("/base/docs/")
    for name in ("Many", "Folder 07", "Page 07"):
        page.get_by_role("main").or_(page.locator(".tp-menu")).get_by_role("link", name=name).first.click()
    expect(page.get_by_role("heading", name="Page 07")).to_be_visible()
    visitor.close()
    assert visitor.complaints == []
