"""What a browser does before it paints a page for the first time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.themes.conftest import PHONE

pytestmark = pytest.mark.browser

LONG = "/docs/reference/authoring-api"
EVALUATED = "EvaluateScript"
"""A module has another name, by which what judges pages does not know that it runs before the first paint."""
MEASURING = {"Layout", "UpdateLayoutTree"}
"""What a browser does when a script asks for sizes or styles, and once more when the script has ended."""

Event = dict[str, Any]


def traced(browser: Browser, address: str) -> list[Event]:
    """The browser's own account of how it loaded a page."""
    page = browser.new_page(viewport=PHONE)
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    page.goto(address)
    events: list[Event] = json.loads(browser.stop_tracing())["traceEvents"]
    page.close()
    return events


def within(outer: Event, events: Sequence[Event]) -> list[str]:
    """The names of what happened in the time of an event, on the same thread."""
    start, end = outer["ts"], outer["ts"] + outer["dur"]
    return [
        event["name"]
        for event in events
        if (event["pid"], event["tid"]) == (outer["pid"], outer["tid"]) and start <= event["ts"] < end
    ]


def test_the_script_asks_for_no_layout_before_the_first_paint(browser: Browser, sample: str) -> None:
    events = traced(browser, f"{sample}{LONG}")
    (script,) = [
        event
        for event in events
        if event["name"] == EVALUATED and "/_tp/theme." in event["args"]["data"].get("url", "")
    ]
    assert MEASURING.isdisjoint(within(script, events))
