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
STATES: Mapping[str, Mapping[str, Any]] = {
    **LOOKS,
    "print": {**DESK, "color_scheme": "dark", "viewport": PAPER},
    "rtl": TOUCH,
    "no-script": {**TOUCH, "java_script_enabled": False},
}


def prepare(page: Page, state: str) -> None:
    if state != "no-script":  # There is no frame to be asked for.
        page.evaluate(probes.SETTLED)
    if state == "print":
        page.emulate_media(media="print")
    elif state == "rtl":
        page.evaluate("document.documentElement.dir = 'rtl'")


@pytest.mark.skipif(not pictures.wanted(), reason="TWINPRESS_PICTURES names no folder for them")
@pytest.mark.parametrize("state", STATES)
def test_pictures_of_pages_are_kept_for_people(browser: Browser, sample: str, state: str) -> None:
    visitor = Visitor(browser, sample, **STATES[state])
    for name, path in PAGES.items():
        page = visitor.go(path)
        prepare(page, state)
        file = pictures.keep(page, state, f"site-{name}")
        assert file
        assert file.stat().st_size > 5000
    visitor.close()
    assert visitor.complaints == []
