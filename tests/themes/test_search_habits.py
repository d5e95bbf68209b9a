"""The search as readers expect it: their keyboards, their colours, new tabs, and what a browser kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.visits import Visitor, asked

pytestmark = pytest.mark.browser

FILES = {
    "site.yml": "title: T\n",
    "docs/index.md": "# Start\n\nWelcome.\n",
    "docs/install.md": "# Install\n\n## Windows\n\nSetup.\n\n## Linux\n\nSetup of another.\n",
}
PRESS = """([key, code, more]) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true, ...more }))"""
CTRL, SHIFT = {"ctrlKey": True}, {"shiftKey": True}
OPEN = {
    "Ctrl+K": ("k", "KeyK", CTRL),
    "Ctrl+K with Caps Lock": ("K", "KeyK", CTRL),
    "Ctrl+K in Cyrillic": ("л", "KeyK", CTRL),
    "Ctrl+K where Dvorak has it": ("k", "KeyV", CTRL),
    "slash": ("/", "Slash", {}),
    "slash in Cyrillic": (".", "Slash", {}),
    "slash in Arabic": ("ظ", "Slash", {}),
    "slash above the letters": ("/", "Digit7", SHIFT),
}
LEAVE = {
    "the console of a browser": ("K", "KeyK", {**CTRL, "shiftKey": True}),
    "another letter of Dvorak": ("t", "KeyK", CTRL),
    "a dash of German": ("-", "Slash", {}),
    "a full stop": (".", "Period", {}),
    "a question mark": ("?", "Slash", SHIFT),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site at the root of its host."""
    folder = tmp_path_factory.mktemp("habits")
    build(write_site(folder / "site", FILES), FolderOutput(folder / "built"))
    with site.served(folder / "built") as address:
        yield address


@pytest.fixture
def reader(browser: Browser, served: str) -> Iterator[Visitor]:
    visitor = Visitor(browser, served)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


@pytest.mark.parametrize("query", ["in", "an", "how to an", "INSTALL, w", "isntall"])
def test_what_is_typed_may_be_a_beginning_or_misspelt(reader: Visitor, query: str) -> None:
    found = asked(reader, query).get_by_role("option").first
    expect(found).to_have_attribute("href", re.compile("^/docs/install"))


def test_the_keys_open_it_on_any_keyboard(reader: Visitor) -> None:
    page = reader.go("/docs/")
    opened = {}
    for name, press in {**OPEN, **LEAVE}.items():
        page.evaluate(PRESS, press)
        opened[name] = page.evaluate("() => { const box = document.querySelector('dialog'); "
                                     "const { open } = box; box.close(); return open; }")  # fmt: skip
    page.wait_for_load_state("networkidle")
    assert opened == {**dict.fromkeys(OPEN, True), **dict.fromkeys(LEAVE, False)}


@pytest.mark.parametrize("way", ["click", "Enter"])
def test_a_result_in_a_new_tab_leaves_the_search_as_it_is(reader: Visitor, way: str) -> None:
    page = asked(reader, "windows")
    with page.context.expect_page() as opening:
        if way == "click":
            page.get_by_role("option").first.click(modifiers=["Control"])
        else:
            page.keyboard.press("Control+Enter")
    # Its address alone: whether a tab in the background has loaded may be said before anybody listens.
    expect(opening.value).to_have_url(re.compile(r"/docs/install#windows$"))
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.url.endswith("/docs/")


def test_a_search_that_was_closed_is_no_longer_in_the_address(reader: Visitor) -> None:
    page = reader.go("/docs/?a=b&q=windows#start")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_url("**/docs/?a=b#start")
    page.reload()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_back_from_a_result_does_not_search_again(reader: Visitor) -> None:
    page = reader.go("/docs/?q=windows")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/install#windows")
    page.go_back()
    page.wait_for_url("**/docs/")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_what_is_in_the_address_is_no_longer_than_what_can_be_typed(reader: Visitor) -> None:
    page = reader.go(f"/docs/?q={quote('windows ' * 1300)}")
    expect(page.get_by_role("option").first).to_be_visible()
    assert len(page.get_by_role("combobox").input_value()) == 200


KEPT = {
    "nothing": [None],
    "no list": {"href": "/docs/"},
    "a text": "str",
    "a number": 5,
    "an address that is a number": [{"href": 5, "title": "T"}],
    "no title": [{"href": "/docs/install"}],
    "a title that is a list": [{"href": "/docs/install", "title": []}],
    "a heading that is an object": [{"href": "/docs/install", "title": "T", "heading": {}}],
    "another host": [{"href": "//evil.example/x", "title": "T"}],
    "another host, in other words": [{"href": "/\\evil.example/x", "title": "T"}],
    "no host": [{"href": "//", "title": "T"}],
    "no JSON": None,
}


def test_what_is_kept_and_cannot_be_used_is_put_right(reader: Visitor) -> None:
    page = asked(reader, "windows")
    # Nobody leaves: the page is visited once.
    page.evaluate("addEventListener('click', (event) => event.preventDefault(), true)")
    page.keyboard.press("Escape")
    for name, kept in KEPT.items():
        expect(page.get_by_role("dialog")).to_be_hidden()
        page.evaluate("(kept) => localStorage.setItem('tp-recent ', kept)", json.dumps(kept) if kept else "{")
        page.get_by_role("button", name="Search").click()
        page.get_by_role("combobox").fill("")
        expect(page.get_by_role("listbox"), name).to_be_hidden()
        page.keyboard.type("windows")
        expect(page.get_by_role("option").first).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_hidden()
        left = json.loads(page.evaluate("localStorage.getItem('tp-recent ')"))
        assert [entry["href"] for entry in left] == ["/docs/install#windows"], name


OPAQUE = re.compile(r"rgb\(")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_was_found_is_readable_where_colours_are_forced(
    browser: Browser, served: str, scheme: str
) -> None:
    visitor = Visitor(browser, served, forced_colors="active", color_scheme=scheme)
    mark = asked(visitor, "windows").locator("mark").first
    expect(mark).to_have_css("background-color", OPAQUE)
    visitor.close()


def test_the_choice_has_the_same_corners_all_around(reader: Visitor) -> None:
    page = asked(reader, "setup")
    every = page.get_by_role("option")
    expect(every).to_have_count(2)
    for number in range(2):
        expect(every.nth(number)).to_have_attribute("aria-selected", "true")
        expect(every.nth(number)).to_have_css("border-radius", "8px")
        page.keyboard.press("ArrowDown")
