"""A preview in the sandboxed frame of a dashboard, in a real browser: the theme works there, quietly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.chromium import launched
from tests.server.site_previews.conftest import SITE, Origin

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
DESK = """<!doctype html><title>Desk</title>
<iframe src="{address}" sandbox="allow-scripts allow-popups" width="1100" height="700"></iframe>
<script>
  document.cookie = "twinpress=secret";
  onmessage = () => {{ throw new Error("nothing is to be told to the dashboard") }};
</script>"""
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
FILES = SITE | {
    "docs/index.mdx": """# Harbour

![A square](square.svg)

<Tabs>
<TabItem label="Sail">Wind.</TabItem>
<TabItem label="Motor">Oil.</TabItem>
</Tabs>

```sh
echo tide
```

See [the draft](draft.md).
""",
    "docs/square.svg": PICTURE,
}
del FILES["docs/index.md"]

LOUD = {"error", "warning"}
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched(FLAGS) as started:
        yield started


@pytest.fixture
def page(browser: Browser, origin: Origin) -> Iterator[Page]:
    """A tab in which any complaint fails the test."""
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1200, "height": 800})
    tab, complaints = context.new_page(), list[str]()
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on(
        "console", lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None
    )
    tab.on("requestfailed", lambda asked: complaints.append(f"{asked.url}: {asked.failure}"))
    yield tab
    context.close()
    assert complaints == []


def framed(page: Page, origin: Origin, path: str) -> FrameLocator:
    """The preview in a frame of a page of the service."""
    origin.desk = DESK.format(address=f"http://{origin.preview(files=FILES)}{path}")
    page.goto(origin.service)
    return page.frame_locator("iframe")


def test_the_theme_works_in_the_frame(page: Page, origin: Origin) -> None:
    frame = framed(page, origin, "/docs/")
    expect(frame.locator("h1")).to_have_text("Harbour")
    assert frame.locator("html").evaluate("() => self.origin") == "null"
    # Style sheets and pictures are loaded, although they are foreign to such a frame.
    assert frame.locator("img").evaluate("image => image.naturalWidth") == 9
    assert frame.locator("body").evaluate("body => getComputedStyle(body).margin") == "0px"
    frame.get_by_role("tab", name="Motor").click()
    expect(frame.get_by_text("Oil.")).to_be_visible()
    # A module that is loaded when it is needed, and the index of the search.
    frame.get_by_role("button", name="Search", exact=True).click()
    frame.get_by_role("combobox").fill("tides")
    expect(frame.get_by_role("option").first).to_contain_text("Tides")
    page.keyboard.press("Enter")
    expect(frame.locator("h1")).to_have_text("Tides")
    assert frame.locator("html").evaluate("() => self.origin") == "null"


def test_a_page_that_is_not_found_names_near_ones_in_the_frame(browser: Browser, origin: Origin) -> None:
    page = browser.new_page()
    errors = list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    frame = framed(page, origin, "/docs/drafft")
    expect(frame.get_by_role("main").get_by_role("link", name="Tides")).to_be_visible()
    assert errors == []
    page.close()


def test_it_is_a_page_of_its_own_too(page: Page, origin: Origin) -> None:
    page.goto(f"http://{origin.preview(files=FILES)}/docs/")
    page.get_by_role("link", name="the draft").click()
    expect(page.locator("h1")).to_have_text("Tides")


def test_without_script_it_can_be_read(browser: Browser, origin: Origin) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"http://{origin.preview(files=FILES)}/docs/draft")
    expect(page.get_by_text("Not yet.")).to_be_visible()
    context.close()


def test_other_sites_cannot_frame_it(browser: Browser, origin: Origin) -> None:
    origin.desk = DESK.format(address=f"http://{origin.preview(files=FILES)}/docs/")
    page = browser.new_page()
    with page.expect_event("console", lambda said: "frame-ancestors" in said.text):
        page.goto(origin.service.replace("localhost", "other.localhost"))
    page.close()
