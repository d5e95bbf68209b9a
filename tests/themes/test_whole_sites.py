"""A built site in a browser: a deep menu, text from right to left, an address that is not there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.conftest import Open

DEEP = "docs/usage/redux/tutorials/fundamentals"
FILES = {
    "site.yml": "title: Deep\ndirection: rtl\n",
    "docs/index.md": "# Introduction\n",
    "docs/auth.md": "# Authentication and configuration\n",
    "docs/usage/redux/tutorials/fundamentals/_category_.yml": "collapsed: false\n",
    f"{DEEP}/incompatibilities.md": "# Incompatibilities of a version\n",
    "docs/guide/install.md": "---\ntitle: Install\ndescription: How to.\n---\n",
    "docs/guide/index.md": "# Guide\n",
    "docs/endpoints.mdx": (
        '<Endpoint method="GET" path="/tides" />\n\n'
        '<Endpoint method="GET" path="/tides" baseUrl="https://api.example" auth="required" />\n'
    ),
}

BROKEN_WORDS = """() => [...document.querySelectorAll(".tp-menu li a, h1")].flatMap((link) => {
  const text = link.firstChild, range = document.createRange();
  return [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return range.getClientRects().length > 1;
  }).map(([word]) => word);
})"""

BARS = """() => [...document.querySelectorAll(".tp-endpoint-bar")].map((bar) => {
  const range = document.createRange();
  range.selectNodeContents(bar.querySelector(".tp-path"));
  const [badge, button] = [bar.querySelector(".tp-method"), bar.querySelector(".tp-copy")];
  const [outer, verb, path, copy] = [bar, badge, range, button].map((part) => part.getBoundingClientRect());
  return [outer.right - verb.right, verb.left - path.right, copy.left - outer.left];
})"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site, in place of the theme's sample pages."""
    folder = tmp_path_factory.mktemp("whole")
    assert build(write_site(folder / "site", FILES), FolderOutput(folder / "built")).diagnostics == ()
    with site.served(folder / "built") as address:
        yield address


def test_the_words_of_a_menu_five_levels_deep_are_whole(open_page: Open) -> None:
    page = open_page(f"/{DEEP}/incompatibilities")
    expect(page.locator(".tp-menu [aria-current]")).to_be_visible()
    assert page.evaluate(BROKEN_WORDS) == []


def test_the_words_of_a_title_are_whole_on_a_phone(open_page: Open) -> None:
    page = open_page("/docs/auth", viewport={"width": 320, "height": 640})
    expect(page.get_by_role("button", name="Copy page")).to_be_visible()
    assert page.evaluate(BROKEN_WORDS) == []


def test_from_right_to_left_an_endpoint_has_its_path_beside_the_verb(open_page: Open) -> None:
    page = open_page("/docs/endpoints")
    expect(page.locator(".tp-endpoint-bar .tp-copy")).to_have_count(2)
    bars = page.evaluate(BARS)
    assert len(bars) == 2
    for before, between, after in bars:
        assert 0 <= before <= 24
        assert 0 < between <= 16
        assert 0 <= after <= 24


def test_the_page_that_is_not_there_names_no_page_twice(open_page: Open) -> None:
    page = open_page("/docs/guid/")
    expect(page.locator(".tp-nearest ul")).to_have_count(2)
    targets = [link.get_attribute("href") for link in page.locator(".tp-nearest a").all()]
    assert "/docs/guide/" in targets
    assert len(set(targets)) == len(targets)
