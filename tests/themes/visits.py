"""The pages of a built site in a browser, with a record of everything that went wrong on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    Route,
    expect,
)

from tests.waiting import PATIENCE, in_vain

VIOLATIONS = """addEventListener("securitypolicyviolation", (event) => {
  console.error("policy:", event.violatedDirective, event.blockedURI, event.sample);
});"""

WAITING = ".tp-prose [data-later], .tp-js .tp-nearest[data-script]"
"""The parts below the window, until they are laid out, and the list of near pages, until it is made."""
LAID_OUT = f"""() => new Promise((done) => {{
  const look = () => document.querySelector("{WAITING}") ? setTimeout(look, 10) : done();
  look();
}})"""
"""Waits until the whole page is laid out."""


class Visitor:
    """A reader in a fresh profile who is cut off from other hosts; `complaints` is the record."""

    def __init__(self, browser: Browser, base: str, **options: object) -> None:
        self.complaints: list[str] = []
        self.base = base
        self._context: BrowserContext = browser.new_context(**{"reduced_motion": "reduce", **options})
        self._context.add_init_script(VIOLATIONS)
        self._context.on("weberror", lambda found: self.complaints.append(str(found.error)))
        self._context.on("console", self._said)
        self._context.on("request", self._asked)
        self._context.on("requestfailed", self._failed)
        self._context.on("response", self._answered)
        self.page: Page = self._context.new_page()

    def go(self, path: str) -> Page:
        """The page at this path of the site, laid out as a whole."""
        self.page.goto(self.base + path)
        self.page.evaluate(LAID_OUT)
        return self.page

    def intercepted(self) -> Visitor:
        """The same reader, of whose pages a test may answer requests, from the first request on.

        A browser that begins with that in an open page says so a little before it does: what a key asks for
        at once would pass.
        """
        self.page.route("**/nothing-is-here", lambda route: route.continue_())
        return self

    def close(self) -> None:
        """Leave nothing behind."""
        self._context.close()

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not is_missing(message, self.page):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.base, "data:")):
            self.complaints.append(f"{self.page.url}: another host is asked for {request.url}")

    def _failed(self, request: Request) -> None:
        # Who leaves a page asks no more for what it was still waiting for.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"{self.page.url}: no answer from {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and not response.request.is_navigation_request():
            self.complaints.append(f"{self.page.url}: {response.status} for {response.url}")


def asked(reader: Visitor, query: str) -> Page:
    """A page with the search open, and with what it has found.

    Typed letter by letter, the query would be answered for its first letters before the whole.
    """
    page = reader.go("/docs/")
    page.keyboard.press("/")
    page.keyboard.insert_text(query)
    expect(page.get_by_role("option").first).to_be_visible()
    return page


def until(page: Page, expression: str) -> None:
    """Wait until this is true in the page.

    Playwright's own `wait_for_function` evaluates text within the page from its second look on, which the
    policy forbids.
    """
    end = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"not within {PATIENCE:.0f} s: {expression}"
        page.wait_for_timeout(20)


def happens(page: Page, true: Callable[[], bool]) -> None:
    """Wait until what the browser tells of itself has made this true; it tells it while we wait."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, in_vain(true, PATIENCE, page.url)
        page.wait_for_timeout(20)


@contextmanager
def held(page: Page, pattern: str) -> Iterator[list[Route]]:
    """Keep answers to such requests back for the time of the block, however long the block takes."""
    routes: list[Route] = []
    page.route(pattern, lambda route: routes.append(route))  # noqa: PLW0108 - a built-in method cannot be marked
    try:
        yield routes
    finally:
        for route in routes:
            route.continue_()
        page.unroute(pattern)


def is_missing(message: ConsoleMessage, page: Page) -> bool:
    """Return whether the console only says that the page itself got a 404, which was asked for."""
    return "status of 404" in message.text and message.location["url"] == page.url


def addresses(folder: Path) -> list[str]:
    """The address of every page in a built site, but for those that only lead on to another."""
    pages = []
    for file in sorted(folder.rglob("*.html")):
        if 'http-equiv="refresh"' not in file.read_text(encoding="utf-8"):
            path = "/" + file.relative_to(folder).with_suffix("").as_posix()
            pages.append(path.removesuffix("index") if path.endswith("/index") else path)
    return pages
