"""Changes that a site's own style sheet and words may make to the frame, as the documentation shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.conftest import GALLERY, SAMPLE_SITE
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

GUIDE = (SAMPLE_SITE / "docs/publish/appearance.mdx").read_text("utf-8")
NAMES = (
    "Einführung",
    "Benutzerhandbuch",
    "Schnittstellen",
    "Veröffentlichung",
    "Fehlerbehebung",
    "Mitwirkende",
)
PAGE = """# Start

## One

| `a_long_name` | `another_long_name` | Some words |
| - | - | - |
| `and_even_longer` | b | c |

Call `PUT https://docs.example.com/api/v1/pages/ai/page?path=docs/guide`.

```mdx
const label = 1;
```
"""
SITE = {
    "site.yml": "title: Die Dokumentation der Hafenverwaltung\nlanguage: ar\ncss: [/brand.css]\n"
    "announcement: {text: Version 2 is out.}\nfooter: {text: Written on boats.}\n"
    f"nav: [{', '.join(f'{{label: {name}, href: /docs/}}' for name in NAMES)}]\n",
    "docs/index.md": PAGE,
    "docs/all.mdx": (GALLERY / "docs/requests.mdx").read_text("utf-8"),
}
ROUND = """() => [...document.querySelectorAll("body *")].filter((part) => !part.closest("dialog"))
  .filter((part) => ["borderStartStartRadius", "borderEndEndRadius"].some(
    (name) => ![...["0px", "50%"]].includes(getComputedStyle(part)[name])))
  .map((part) => part.className || part.localName)"""
NAV = """(list) => ({
  more: list.scrollWidth > list.clientWidth,
  fades: getComputedStyle(list).maskImage !== "none",
  bar: getComputedStyle(list).scrollbarWidth,
})"""
LINES = """(codes) => codes.map((code) => Math.round(code.getBoundingClientRect().height
  / parseFloat(getComputedStyle(code).lineHeight)))"""
FULL_STOP = """(code) => {
  const range = document.createRange();
  range.selectNode(code.nextSibling);
  const [stop, box] = [range.getBoundingClientRect(), code.getBoundingClientRect()];
  return stop.bottom - box.bottom;
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site with the style sheet of the documentation, in a language that is written from the right."""
    folder = tmp_path_factory.mktemp("own")
    found = re.search(r'```css title="static/brand.css"\n(.*?)```', GUIDE, re.DOTALL)
    assert found
    write_site(folder / "site", {**SITE, "static/brand.css": found[1]})
    build(folder / "site", FolderOutput(folder / "built"))
    with site.served(folder / "built") as base:
        yield base


@pytest.mark.parametrize("script", [True, False])
def test_the_style_sheet_of_the_documentation_does_what_it_says(
    browser: Browser, address: str, script: bool
) -> None:
    visitor = Visitor(browser, address, java_script_enabled=script, viewport={"width": 1280, "height": 800})
    for path in ("/docs/", "/docs/all"):
        page = visitor.go(path)
        assert page.evaluate(ROUND) == []
        heading = page.locator(".tp-prose h2").first
        expect(heading).to_have_css("border-top-width", "4px")
        width = "(part) => part.getBoundingClientRect().width"
        assert heading.evaluate(width) == page.locator(".tp-prose").evaluate(width)
    visitor.close()
    assert visitor.complaints == []


def test_a_navigation_that_does_not_fit_shows_that_there_is_more(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, viewport={"width": 1024, "height": 800})
    page = visitor.go("/docs/")
    entries = page.locator(".tp-nav ul")
    assert entries.evaluate(NAV) == {"more": True, "fades": True, "bar": "thin"}
    entries.evaluate("(list) => list.scrollTo(-1e6, 0)")
    expect(page.locator(".tp-nav a").last).to_be_in_viewport(ratio=0.99)
    expect(entries).to_have_css("mask-image", "none")
    assert page.locator(".tp-header .tp-name span").evaluate("(name) => name.scrollWidth <= name.clientWidth")
    visitor.close()


def test_a_line_in_another_direction_ends_where_it_should(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.go("/docs/")
    for line in (page.locator(".tp-announcement p"), page.locator(".tp-footer p")):
        expect(line).to_have_css("direction", "ltr")
    visitor.close()


def test_on_a_small_phone_code_is_kept_whole_and_with_its_full_stop(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, viewport={"width": 320, "height": 640})
    page = visitor.go("/docs/")
    assert page.locator("table code").evaluate_all(LINES) == [1, 1, 1]
    assert abs(page.locator(".tp-prose p > code").evaluate(FULL_STOP)) < 8
    visitor.close()
