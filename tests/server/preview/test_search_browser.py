"""The search of a page of the preview that is kept open while its writer saves."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.server.commands import serving
from tests.server.preview.test_browser import SITE, count_loads, visit
from tests.sites import write_site

pytestmark = pytest.mark.browser

MANY = {f"docs/many/{number:02}.md": f"# Page {number}\n\nAbout tides.\n" for number in range(15)}


@pytest.fixture
def site(tmp_path):
    return write_site(tmp_path / "site", {**SITE, **MANY})


CHOSEN = "[role=option][aria-selected=true]"


def chosen(page: Page) -> str | None:
    return page.locator(CHOSEN).get_attribute("href")


def test_an_open_search_answers_from_the_index_of_the_last_save(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        loads = count_loads(page)
        field, found = page.locator(".tp-search-box input"), page.get_by_role("option")
        page.keyboard.press("/")
        page.keyboard.type("zebra")
        expect(page.locator(".tp-search-status")).to_contain_text("zebra")
        expect(found).to_have_count(0)
        write_site(site, {"docs/été.md": "# Summer\n\nWarm zebras.\n"})
        expect(found).to_have_count(1)
        page.keyboard.type(" giraffe")
        write_site(site, {"docs/été.md": "# Summer\n\nWarm zebras and giraffes.\n"})
        expect(page.locator(".tp-search-text mark")).to_have_text(["zebras", "giraffes"])
        expect(field).to_be_focused()
        expect(field).to_have_value("zebra giraffe")
        # What is closed, and what is shown itself, are no different.
        page.keyboard.press("Escape")
        write_site(site, {"docs/été.md": "# Summer\n\nWarm lions.\n"})
        preview.says("été")
        page.wait_for_timeout(300)
        page.keyboard.press("/")
        page.keyboard.type("lion")
        expect(found).to_have_count(1)
        assert loads == []
        write_site(site, {"docs/a.mdx": "# A\n\nMore lions.\n"})
        expect(found).to_have_count(2)
        expect(page.locator("link[rel=stylesheet][href*='/search.']")).to_have_count(1)
        assert loads == []
        with page.expect_event("load"):
            page.keyboard.press("Escape")
        expect(page.locator("article")).to_contain_text("More lions.")


def test_the_result_that_was_chosen_is_so_after_a_save(site, page):
    with serving(site) as preview:
        # Also where the address asks.
        visit(page, preview, "/docs/a?q=tides")
        found, status = page.get_by_role("option"), page.locator(".tp-search-status")
        expect(status).to_contain_text("15")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(found).to_have_count(11)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        before = chosen(page)
        assert before
        write_site(site, {"docs/a.mdx": "# Tides\n\nTides, tides, tides.\n"})
        expect(found.first).to_have_attribute("href", "/docs/a")
        expect(found).to_have_count(11)
        expect(page.locator(CHOSEN)).to_have_attribute("href", before)
        expect(page.locator("[aria-selected=true]")).to_be_in_viewport()
        page.keyboard.type("x")
        expect(page.locator(".tp-search-box input")).to_have_value("tidesx")
        page.keyboard.press("Backspace")
        # A result that is gone leaves its place to the first.
        expect(found.first).to_have_attribute("href", "/docs/a")
        page.keyboard.press("ArrowDown")
        gone = chosen(page)
        assert gone
        (site / f"{gone.removeprefix('/')}.md").unlink()
        expect(page.locator(f"[role=option][href='{gone}']")).to_have_count(0)
        expect(status).to_contain_text("15")
        expect(page.locator(CHOSEN)).to_have_attribute("href", "/docs/a")
        page.keyboard.press("Enter")
        expect(page.locator("article")).to_contain_text("Tides, tides, tides.")
