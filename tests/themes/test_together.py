"""One site of all that can be switched on, each within the others, as readers meet it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from builder.build import build
from builder.output import FolderOutput
from tests.themes import pictures, probes, site
from tests.themes.axe import violations
from tests.themes.conftest import PHONE
from tests.themes.test_gallery import LOOKS, PAPER
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "together"
PAGES = ("everything", "news")
WORDS = (
    "At any time.",
    r"e^{i\pi}",
    "Ship->>Quay",
    "Harbour 2.5 is at",
    "Install version 2.5",
    "since 2.5",
    "A paid plan for 8 people.",
    "A free plan for 3 people. Nothing more to say.",
    "No small print.",
    "def main",
    "The markdown form of a page",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("together") / "built"
    assert build(SITE, FolderOutput(folder)).diagnostics == ()
    return folder


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    with site.served(built) as found:
        yield found


def test_the_twin_has_every_word_of_what_is_within_what(built: Path) -> None:
    twin = (built / "everything.md").read_text()
    assert [words for words in WORDS if words not in twin] == []
    assert "%{" not in twin
    assert "<Slot" not in twin


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_extras_within_extras_are_sound_on_a_screen(browser: Browser, address: str, size: str) -> None:
    faults = {}
    visitor = Visitor(browser, address, **LOOKS[f"{size} light"])
    for name in PAGES:
        page = visitor.go(f"/{name}")
        page.evaluate(probes.OPEN_ALL)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            faults[name, scheme, "axe"] = violations(page, scheme)
            faults[name, scheme, "sideways"] = max(page.evaluate(probes.SIDEWAYS), 0)
            pictures.keep(page, f"{size} {scheme}", f"together-{name}")
        page.evaluate("document.documentElement.dir = 'rtl'")
        faults[name, "rtl", "sideways"] = max(page.evaluate(probes.SIDEWAYS), 0)
    visitor.close()
    assert visitor.complaints == []
    assert {place: found for place, found in faults.items() if found} == {}


def test_extras_within_extras_are_whole_on_paper_and_without_script(browser: Browser, address: str) -> None:
    options = {"viewport": PHONE, "java_script_enabled": False}
    visitor = Visitor(browser, address, **options)
    for name in PAGES:
        visitor.page.goto(f"{address}/{name}")
        visitor.page.evaluate(probes.OPEN_ALL)
        assert visitor.page.evaluate(probes.UNREADABLE) == []
        visitor.page.evaluate(probes.CLOSE_ALL)
        visitor.page.emulate_media(media="print")
        visitor.page.set_viewport_size(PAPER)
        assert visitor.page.evaluate(probes.UNREADABLE) == []
        assert visitor.page.evaluate(probes.CLIPPED) == []
    visitor.close()
    assert visitor.complaints == []


def test_extras_within_extras_are_reached_by_keys_alone(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address, **LOOKS["desktop light"])
    page = visitor.go("/everything")
    page.locator("#more > summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#more img").first).to_be_visible()
    page.get_by_role("tab", name="Words").focus()
    page.keyboard.press("ArrowRight")
    link = page.get_by_role("tabpanel").locator("a.tp-zoom")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog.tp-zoomed")).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).to_be_focused()
    visitor.close()
    assert visitor.complaints == []


def test_a_page_without_extras_loads_no_file_of_theirs(built: Path) -> None:
    extras = ("badge", "columns", "diagrams", "file-tree", "frame", "math", "tooltip", "update")
    assert all(f"/_tp/{name}." not in (built / "quay.html").read_text() for name in extras)
    assert all(f"/_tp/{name}." in (built / "everything.html").read_text() for name in extras[:-1])
