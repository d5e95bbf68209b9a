"""Script injection in a browser that keeps to no policy: no place of a site with all extras runs anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from builder.build import build
from builder.output import FolderOutput
from tests.builder import injected
from tests.corpora import payloads
from tests.sites import write_site
from tests.themes import site
from tests.themes.visits import addresses

pytestmark = pytest.mark.browser

MARKS = """
window.called = [];
for (const name of ["alert", "confirm", "prompt", "print"]) {
  window[name] = (text) => { window.called.push(`${name} ${text}`); };
}
"""
POINTED = """() => {
  for (const one of document.querySelectorAll("*")) {
    for (const name of ["mouseover", "focus", "error", "load", "toggle", "animationstart"]) {
      one.dispatchEvent(new Event(name));
    }
  }
  return window.called;
}"""


def visited(browser: Browser, base: str, paths: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Of each page the path and what was called on it, in a browser that does not keep to the policy."""
    context = browser.new_context(bypass_csp=True)
    context.add_init_script(MARKS)
    context.route(lambda url: not url.startswith(base), lambda route: route.abort())
    page = context.new_page()
    for path in paths:
        yield path, called(page, base + path)
    context.close()


def called(page: Page, address: str) -> list[str]:
    """Return what a page calls by itself, and when it is pointed at."""
    page.goto(address, wait_until="load")
    found: list[str] = page.evaluate(POINTED)
    return found


def runs(folder: Path, browser: Browser, texts: list[str]) -> dict[str, list[str]]:
    """Of the pages of a site with these texts in all places, those that call anything."""
    build(write_site(folder / "site", injected.site(texts)), FolderOutput(folder / "built"))
    with site.served(folder / "built") as base:
        found = list(visited(browser, base, addresses(folder / "built")))
    assert len(found) > len(texts)
    return {path: said for path, said in found if said}


def test_no_payload_runs(tmp_path: Path, browser: Browser) -> None:
    assert runs(tmp_path, browser, payloads()[::40]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_no_payload_of_all_runs(tmp_path: Path, browser: Browser, part: int) -> None:
    given = payloads()[part::8]
    for start in range(0, len(given), 12):
        assert runs(tmp_path / str(start), browser, given[start : start + 12]) == {}


def test_payloads_run_where_nothing_is_done(tmp_path: Path, browser: Browser) -> None:
    for number, text in enumerate(given := payloads()[::10]):
        (tmp_path / f"p{number}.html").write_text(f"<!doctype html><body>{text}")
    with site.served(tmp_path) as base:
        found = list(visited(browser, base, [f"/p{number}" for number in range(len(given))]))
    assert sum(bool(said) for _, said in found) > len(given) / 8
