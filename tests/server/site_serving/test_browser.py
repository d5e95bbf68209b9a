"""Published pages in a browser: the headers keep nothing from working that a build has made."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from builder.plan.options import Options
from server.readers.reader_counts import ReaderCounts
from tests.chromium import launched
from tests.server.site_serving.asking import serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.sites import build_site
from tests.waiting import until

pytestmark = pytest.mark.browser

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
"""A browser with a window: one without is counted as a crawler."""
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
def counted(tmp_path):
    """A site whose owner wants to know what is searched for in vain, and the folder of the service's data."""
    source, data = tmp_path / "reef", tmp_path / "counted"
    source.mkdir()
    output = build_site(source, FILES, Options(counts_searches=True)).output
    copied = {path: (source / file).read_bytes() for path, file in output.copied.items()}
    publish(release_store(data), {**output.written, **copied})
    mount(data, {HOST: SITE})
    with serving_sites(data) as readers:
        yield f"http://{HOST}:{readers.port}", data


@pytest.fixture
def page():
    """A tab, with what it complains of in `complaints`."""
    with launched(["--no-sandbox", f"--user-agent={CHROME}"]) as browser:
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


def search(page, text):
    page.locator(".tp-search-box input").fill(text)
    expect(page.locator(".tp-search-status")).to_contain_text(text)


def test_a_search_in_vain_is_told_once_and_only_what_was_typed_to_the_end(counted, page):
    (address, data), told = counted, []
    page.on("request", lambda asked: told.append(asked.post_data) if asked.method == "POST" else None)
    page.goto(f"{address}/docs/x")
    page.keyboard.press("/")
    for text in ("qqzz", "qqzz jjww"):
        search(page, text)
    until(lambda: page.wait_for_timeout(50) or told == ["qqzz jjww"])
    search(page, "vvkk")
    page.locator(".tp-search-box input").fill("zebras")
    expect(page.get_by_role("option").first).to_contain_text("Tides")
    search(page, "qqzz jjww")
    page.wait_for_timeout(2500)
    assert told == ["qqzz jjww"]
    search(page, "xxkk")
    page.goto(f"{address}/docs/")
    assert (page.context.cookies(), page.complaints) == ([], [])
    read = ReaderCounts(data).read
    names = "SELECT name FROM counts WHERE subject = 'search' ORDER BY name"
    until(lambda: read(names, ()) == [("qqzz jjww",), ("xxkk",)])


def test_a_search_in_vain_tells_nobody_unless_the_owner_wants_it(site, page):
    told = []
    page.on("request", lambda asked: told.append(asked.url) if asked.method == "POST" else None)
    page.goto(f"{site}/docs/x")
    page.keyboard.press("/")
    search(page, "qqzz")
    page.wait_for_timeout(2500)
    page.goto(f"{site}/docs/")
    assert (told, page.complaints) == ([], [])


def test_a_drawing_runs_nothing(site, page):
    page.goto(f"{site}/run.svg")
    until(lambda: any("Blocked script execution" in said for said in page.complaints))
    assert page.title() != "ran"
