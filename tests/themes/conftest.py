"""A real browser on a served site; a page fails its test when the policy or the console has a complaint."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.themes import site

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
VIOLATIONS = """addEventListener("securitypolicyviolation", (event) => {
  console.error("policy:", event.violatedDirective, event.blockedURI, event.sample);
});"""

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("theme")
    site.write(folder)
    with site.served(folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(base: str, browser: Browser) -> Iterator[Open]:
    """`open_page("/tabs", **context options)`: a page in a fresh profile, cut off from other hosts."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(path: str, **options: object) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
        contexts.append(context)
        context.set_default_timeout(5000)
        context.add_init_script(VIOLATIONS)
        context.route(lambda url: not url.startswith(base), lambda route: route.abort())
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(base + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
