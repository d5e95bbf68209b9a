"""The complaints of axe about a page, judged by the same rules everywhere."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT as _AXE
from playwright.sync_api import Page

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES = {
    "light": {"type": "tag", "values": LEVELS},
    "dark": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}
"""By colour scheme: in the dark only colours are different."""


def violations(page: Page, scheme: str, part: str | None = None) -> list[str]:
    """The faults of the page, or of a part of it, each with its rule, place and remedy."""
    options = {"runOnly": RULES[scheme], "resultTypes": ["violations"]}
    if not page.evaluate("'axe' in window"):  # it is half a megabyte, and stays until another page is loaded
        page.evaluate(_AXE)
    run = "([part, options]) => axe.run(part ?? document, options).then((found) => found.violations)"
    found: list[dict[str, Any]] = page.evaluate(run, [part, options])
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]
    ]
