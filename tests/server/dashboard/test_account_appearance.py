"""The dashboard's pages as Chromium draws them: for everybody, in light and dark, on a desk and a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page

from tests.server.dashboard.conftest import Dashboard
from tests.themes.axe import violations

pytestmark = pytest.mark.browser
ANN = "ann@example.com"
PAGES = (
    "/reset/{reset}", "/reset/ended", "/databases", "/databases/keys", "/activity", "/account",
    "/account/email", "/account/password", "/account/codes", "/account/passkeys/new", "/account/delete",
    "/account/export", "/address/ended",
    "/operator", "/operator/accounts/{id}", "/operator/accounts/x",
)  # fmt: skip
VISITORS = ("/sign-in", "/forgotten", "/sign-up")
PHONE = 360
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")


@pytest.fixture
def tab(browser: Chromium, dashboard: Dashboard) -> Iterator[Page]:
    """A tab in which an operator is signed in."""
    dashboard.account(ANN, operator=True)
    context = browser.new_context(base_url=f"http://localhost:{dashboard.port}")
    context.add_cookies(
        [
            {"name": name, "value": text, "domain": "localhost", "path": "/"}
            for name, text in dashboard.signed_in(ANN).cookies.items()
        ]
    )
    yield context.new_page()
    context.close()


def addresses(dashboard: Dashboard) -> list[str]:
    (ann,) = dashboard.desk.accounts.list()
    known = {"reset": dashboard.desk.links.create("reset", ann.id), "id": ann.id}
    return [path.format_map(known) for path in PAGES]


def faults(tab: Page, path: str) -> list[str]:
    """List what is wrong with a page in light and dark, and whether a phone has to scroll it sideways."""
    tab.goto(path)
    found = []
    for scheme in SCHEMES:
        tab.emulate_media(color_scheme=scheme)
        found += violations(tab, scheme)
    tab.set_viewport_size({"width": PHONE, "height": 740})
    wide = tab.evaluate("document.documentElement.scrollWidth")
    tab.set_viewport_size({"width": 1280, "height": 720})
    return [*found, f"{wide} px wide"] if wide > PHONE else found


def test_everybody_can_use_every_page(tab: Page, dashboard: Dashboard) -> None:
    found = {path: faults(tab, path) for path in addresses(dashboard)}
    tab.context.clear_cookies()
    found |= {path: faults(tab, path) for path in VISITORS}
    assert {path: said for path, said in found.items() if said} == {}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_picture_for_an_app_is_dark_on_light_and_fits_a_screen(
    tab: Page, scheme: Literal["light", "dark"]
) -> None:
    tab.emulate_media(color_scheme=scheme)
    tab.goto("/account/codes")
    tab.get_by_role("button", name="Continue").click()
    picture = tab.get_by_role("img", name="QR code").locator("svg")
    box = picture.bounding_box()
    assert box
    assert 160 <= box["width"] <= 320
    ground, squares = (picture.locator("path").nth(number) for number in range(2))
    assert ground.evaluate("one => getComputedStyle(one).fill") == "rgb(255, 255, 255)"
    assert squares.evaluate("one => getComputedStyle(one).stroke") == "rgb(0, 0, 0)"
