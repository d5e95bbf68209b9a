"""The theme's script speaks the language of the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site

pytestmark = pytest.mark.browser

FILES = {
    "site.yml": "title: Hafen\nlanguage: de\nplan: premium\nwords:\n  copied: Ist kopiert\n",
    "docs/start.mdx": (
        f"# Start\n\n## Anker\n\n```\nx\n```\n\n| a |\n| - |\n| {'lang ' * 200}|\n\n".replace(
            "lang ", "lang\u00a0"
        )
        + '<Embed src="https://www.youtube.com/watch?v=aqz-KE-bpKQ" title="Film" />\n'
    ),
    # The list of the not-found page does not name it: it is added even where a reader has seen the list.
    "docs/hafen/stare.mdx": "# Stare\n",
}


def test_what_the_script_adds_is_in_the_language_of_the_page(browser: Browser, tmp_path: Path) -> None:
    build(write_site(tmp_path / "site", FILES), FolderOutput(tmp_path / "built"))
    with site.served(tmp_path / "built") as address:
        page = browser.new_page()
        page.goto(f"{address}/docs/start")
        theme = page.get_by_role("button", name="Darstellung: automatisch")
        theme.click()
        expect(page.get_by_role("button", name="Darstellung: hell")).to_be_visible()
        page.get_by_role("button", name="Code kopieren").click()
        expect(page.get_by_role("status")).to_have_text("Ist kopiert")
        expect(page.get_by_role("link", name="Link zu Anker")).to_be_attached()
        expect(page.get_by_role("region", name="Tabelle 1")).to_be_visible()
        expect(page.get_by_role("button", name="Film laden")).to_have_attribute("title", "Laden")
        page.goto(f"{address}/docs/hafen/stard")
        expect(page.get_by_text("Haben Sie eine dieser Seiten gesucht?")).to_be_visible()
        page.close()
