"""What axe says against a page, judged by the same rules everywhere."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
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
    found: list[dict[str, Any]] = Axe().run(page, part, options).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]
    ]
