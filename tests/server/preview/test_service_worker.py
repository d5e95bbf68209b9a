"""A service worker would outlive the preview of its site, and come between a browser and the next one."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.server.commands import serving
from tests.sites import write_site

SITE = {
    "site.yml": "title: Site\n",
    "docs/a.md": "# A\n",
    "static/demo.html": "<!doctype html><title>Demo</title><script src=register.js></script>",
    "static/register.js": "document.title = 'runs'",
    "static/worker.js": "self.addEventListener('fetch', (event) => event.respondWith(new Response('mine')))",
}
REGISTER = """async (script) => {
  try { await navigator.serviceWorker.register(script, {scope: '/'}); return 'registered' }
  catch (error) { return error.name }
}"""


@pytest.mark.browser
def test_no_script_of_a_site_becomes_a_service_worker(tmp_path, browser):
    with serving(write_site(tmp_path, SITE), "--trust") as preview:  # else its scripts are apart anyway
        page: Page = browser.new_page()
        page.goto(f"http://127.0.0.1:{preview.port}/demo.html")
        assert page.title() == "runs"
        assert page.evaluate(REGISTER, "/worker.js") in {"TypeError", "SecurityError"}
        assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
        page.close()
