"""Published pages in a browser: the headers keep nothing from working that a build has made."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.chromium import launched
from tests.server.site_serving.asking import serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.sites import build_site
from tests.waiting import until

pytestmark = pytest.mark.browser

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>'
)
FILES = {
    "site.yml": "title: Quay\nredirects:\n  /old: /docs/x#tides\n",
    "docs/index.md": "# Start\n",
    "docs/x.md": "# X\n\n![A box](box.svg)\n\n" + "Words.\n\n" * 60 + "## Tides\n\nAbout zebras.\n",
    "docs/box.svg": DRAWING,
    "static/run.svg": '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "ran"</script></svg>',
}


@pytest.fixture
def site(tmp_path):
    source = tmp_path / "quay"
    source.mkdir()
    output = build_site(source, FILES).output
    copied = {path: (source / file).read_bytes() for path, file in output.copied.items()}
    publish(release_store(tmp_path / "data"), {**output.written, **copied})
    mount(tmp_path / "data", {HOST: SITE})
    with serving_sites(tmp_path / "data") as readers:
        yield f"http://{HOST}:{readers.port}"


@pytest.fixture
def page():
    """A tab, with what it complains of in `complaints`."""
    with launched() as browser:
        tab = browser.new_context(reduced_motion="reduce").new_page()
        tab.complaints = []
        tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.on("console", lambda said: tab.complaints.append(said.text) if said.type == "error" else None)
        yield tab


def test_pages_pictures_search_and_redirects_work(site, page):
    page.goto(f"{site}/old?a=1")
    assert page.url == f"{site}/docs/x?a=1#tides"
    assert page.get_by_role("img", name="A box").evaluate("image => image.naturalWidth") == 20
    page.keyboard.press("/")
    page.locator(".tp-search-box input").fill("zebras")
    expect(page.get_by_role("option").first).to_contain_text("Tides")
    assert (page.context.cookies(), page.complaints) == ([], [])


def test_a_drawing_runs_nothing(site, page):
    page.goto(f"{site}/run.svg")
    until(lambda: any("Blocked script execution" in said for said in page.complaints))
    assert page.title() != "ran"
