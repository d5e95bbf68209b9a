"""Pictures of the sample site's important pages, for people to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.themes import pictures, probes
from tests.themes.test_gallery import LOOKS, PAPER
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

PAGES = {
    "home": "/",
    "guide": "/docs/start/install",
    "code": "/docs/writing/code-blocks",
    "api": "/docs/reference/authoring-api",
    "list": "/docs/publish/hosts/",
    "not-found": "/docs/no-such-page",
}
DESK, TOUCH = LOOKS["desktop light"], LOOKS["phone light"]
READERS: Mapping[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {
    "desk": (DESK, ("desktop light", "desktop dark", "print")),
    "phone": (TOUCH, ("phone light", "phone dark", "rtl")),
    "no script": ({**TOUCH, "java_script_enabled": False}, ("no-script",)),
}
"""Ways to visit pages, and the states in which a page that is visited so is taken, one after another."""


def prepare(page: Page, state: str) -> None:
    if "dark" in state or "light" in state:
        page.emulate_media(color_scheme="dark" if "dark" in state else "light")
    elif state == "print":
        page.emulate_media(media="print", color_scheme="dark")
        page.set_viewport_size(PAPER)
    elif state == "rtl":
        page.emulate_media(color_scheme="light")
        page.evaluate("document.documentElement.dir = 'rtl'")
    if state != "no-script":  # There is no frame to be asked for.
        page.evaluate(probes.SETTLED)


def restore(page: Page, options: Mapping[str, Any]) -> None:
    """The window is again as the reader has it."""
    page.emulate_media(media="screen", color_scheme="light")
    page.set_viewport_size(options["viewport"])


@pytest.mark.skipif(not pictures.wanted(), reason="TWINPRESS_PICTURES names no folder for them")
@pytest.mark.parametrize("reader", READERS)
def test_pictures_of_pages_are_kept_for_people(browser: Browser, sample: str, reader: str) -> None:
    options, states = READERS[reader]
    visitor = Visitor(browser, sample, **options)
    for name, path in PAGES.items():
        restore(visitor.page, options)
        page = visitor.go(path)
        for state in states:
            prepare(page, state)
            file = pictures.keep(page, state, f"site-{name}")
            assert file
            assert file.stat().st_size > 5000
    visitor.close()
    assert visitor.complaints == []
