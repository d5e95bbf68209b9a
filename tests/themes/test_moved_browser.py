"""Pages at old addresses in a browser: they lead on with what the reader's address had."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.server.commands import serving
from tests.sites import write_site

pytestmark = pytest.mark.browser

SITE = {
    "site.yml": "redirects: {/old: /docs/a, /asks: '/docs/a?x=1', /place: '/docs/a#two'}\n",
    "docs/a.md": "# A\n\n## One\n\n## Two\n",
}
WITH_SCRIPT = {
    "/old": "/docs/a",
    "/old?q=1&r=%20#one": "/docs/a?q=1&r=%20#one",
    "/asks?q=1#one": "/docs/a?x=1&q=1#one",
    "/place?q=1#one": "/docs/a?q=1#two",
    "/old?to=//evil.example#//evil.example": "/docs/a?to=//evil.example#//evil.example",
}
WITHOUT = {"/old?q=1#one": "/docs/a", "/place": "/docs/a#two"}


def test_query_and_fragment_are_kept_by_script_and_the_page_leads_on_without(
    browser: Browser, tmp_path: Path
) -> None:
    with serving(write_site(tmp_path, SITE)) as preview:
        base = preview.address.rstrip("/")
        for scripts, cases in ((True, WITH_SCRIPT), (False, WITHOUT)):
            context = browser.new_context(java_script_enabled=scripts)
            page = context.new_page()
            said: list[str] = []
            page.on("console", lambda message, said=said: said.append(message.text))
            for old, new in cases.items():
                page.goto(base + old, wait_until="commit")
                page.wait_for_url(base + new)
                assert page.url == base + new
            assert said == []
            context.close()
