"""The work of a browser before it paints a page for the first time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests import waiting
from tests.themes.conftest import DESKTOP, PHONE
from tests.themes.visits import LAID_OUT, WAITING, happens, until

pytestmark = pytest.mark.browser

LONG = "/docs/reference/authoring-api"
EVALUATED = "EvaluateScript"
"""A module has another name, by which what judges pages does not know that it runs before the first paint."""
MEASURING = {"Layout", "UpdateLayoutTree"}
"""The work of a browser when a script asks for sizes or styles, and once more when the script has ended."""

COUNT_WAITING = f"""addEventListener("DOMContentLoaded", () => {{
  window.waiting = document.querySelectorAll("{WAITING}").length;
}});"""
"""Nothing was painted then, and the theme's script has run."""

SCROLLED = """(early) => {
  addEventListener("readystatechange", () => {
    document.querySelector(".tp-prose > :nth-last-child(2)").style.order = 1;
  }, { once: true, capture: true });
  window.places = [];
  const top = () => document.getElementById("errors").getBoundingClientRect().top;
  const place = () => window.places.push(Math.round(top()));
  const follow = () => {
    place();
    requestAnimationFrame(follow);
  };
  const scroll = () => {
    document.getElementById("errors").scrollIntoView();
    // The frame that is under way is not seen before this.
    requestAnimationFrame(() => requestAnimationFrame(follow));
  };
  if (early) addEventListener("DOMContentLoaded", scroll);
  else new PerformanceObserver(scroll).observe({ type: "paint", buffered: true });
}"""
"""Has a script scroll to a section before or right after the first paint, and follows where that is."""

PLACE_AFTER_FRAMES = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY))));
})"""
"""Where the window is when a key that was pressed has had its effect."""

Event = dict[str, Any]


@pytest.fixture(scope="module")
def events(browser: Browser, sample: str) -> list[Event]:
    """The browser's own account of how it loaded a long page that was there before a frame was due."""
    return waiting.until(lambda: whole(recorded(browser, f"{sample}{LONG}")))


def recorded(browser: Browser, address: str) -> list[Event]:
    page = browser.new_page(viewport=PHONE)
    browser.start_tracing(page=page, categories=["devtools.timeline", "loading"])
    page.goto(address)
    page.evaluate(LAID_OUT)
    told: list[Event] = json.loads(browser.stop_tracing())["traceEvents"]
    page.close()
    return told


def whole(events: list[Event]) -> list[Event] | None:
    """The same, unless a busy machine has come to style a part of the page before its script could run."""
    ran = the_script(events)
    early = (event for event in events if event["name"] == "UpdateLayoutTree" and event["pid"] == ran["pid"])
    return (
        None if any(event["ts"] < ran["ts"] and event["args"]["elementCount"] for event in early) else events
    )


def the_script(events: Sequence[Event]) -> Event:
    """The theme's script, as it was run."""
    (script,) = [
        event
        for event in events
        if event["name"] == EVALUATED and "/_tp/theme." in event["args"]["data"].get("url", "")
    ]
    return script


def within(outer: Event, events: Sequence[Event]) -> list[str]:
    """The names of what happened in the time of an event, on the same thread."""
    start, end = outer["ts"], outer["ts"] + outer["dur"]
    return [
        event["name"]
        for event in events
        if (event["pid"], event["tid"]) == (outer["pid"], outer["tid"]) and start <= event["ts"] < end
    ]


@pytest.mark.slow  # on a machine that does much else, a frame is due before any script can run
def test_the_script_asks_for_no_layout_before_the_first_paint(events: list[Event]) -> None:
    assert MEASURING.isdisjoint(within(the_script(events), events))


@pytest.mark.slow
def test_what_is_below_the_window_is_styled_after_the_first_paint(events: list[Event]) -> None:
    (painted,) = [event for event in events if event["name"] == "firstPaint"]
    styled = [
        (event["ts"] < painted["ts"], event["args"]["elementCount"])
        for event in events
        if event["name"] == "UpdateLayoutTree" and event["pid"] == painted["pid"]
    ]
    before, after = (sum(count for early, count in styled if early is when) for when in (True, False))
    assert before < after


def test_a_place_on_a_page_is_found_again(browser: Browser, sample: str) -> None:
    page = browser.new_page(viewport=PHONE)
    page.add_init_script(COUNT_WAITING)
    page.goto(f"{sample}{LONG}")
    assert page.evaluate("waiting") > 5
    page.evaluate(LAID_OUT)
    height = page.evaluate("document.documentElement.scrollHeight")
    page.evaluate("scrollTo(0, 9000)")
    page.reload()
    assert page.evaluate("[waiting, document.documentElement.scrollHeight, scrollY]") == [0, height, 9000]
    page.goto(f"{sample}/docs/")
    page.go_back()
    assert page.evaluate("[document.documentElement.scrollHeight, scrollY]") == [height, 9000]
    page.goto(f"{sample}/docs/")
    page.goto(f"{sample}{LONG}#errors")
    assert page.evaluate("waiting") == 0
    assert 0 < page.locator("#errors").evaluate("(heading) => heading.getBoundingClientRect().top") < 200
    page.close()


@pytest.mark.parametrize("early", ["true", "false"])
def test_what_a_script_has_scrolled_to_stays_where_it_is(browser: Browser, sample: str, early: str) -> None:
    page = browser.new_page(viewport=PHONE)
    page.add_init_script(f"history.length < 3 && performance.navigation.type === 0 && ({SCROLLED})({early})")
    page.goto(f"{sample}{LONG}")
    until(page, "() => window.places.length >= 10")
    (place,) = page.evaluate("[...new Set(places)]")
    assert 0 < place < 200
    assert page.evaluate(f"document.querySelectorAll('{WAITING}').length") == 0
    # Elements are as their authors, and other scripts, have left them.
    styled = page.evaluate(
        "[...document.querySelectorAll('.tp-prose [style]')].map((part) => part.getAttribute('style'))"
    )
    assert styled == ["order: 1;"]
    page.reload()
    assert (
        abs(page.locator("#errors").evaluate("(heading) => heading.getBoundingClientRect().top") - place) < 2
    )
    page.close()


@pytest.mark.parametrize("view", [PHONE, DESKTOP])
def test_the_end_key_leads_to_the_end_at_once(browser: Browser, sample: str, view: ViewportSize) -> None:
    page = browser.new_page(viewport=view)
    # The script hears of keys from then on, and lays the page out when it has been painted.
    page.goto(f"{sample}{LONG}", wait_until="domcontentloaded")

    def moved() -> bool:
        page.keyboard.press("End")  # again: a browser drops keys for a page that it has yet to paint
        return bool(page.evaluate(PLACE_AFTER_FRAMES))

    happens(page, moved)
    page.evaluate(LAID_OUT)
    until(page, "() => document.documentElement.scrollHeight - innerHeight - scrollY < 2")
    page.close()


def test_the_table_of_contents_goes_with_the_reader(browser: Browser, sample: str) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 700})
    page.goto(f"{sample}/docs/reference/diagnostics")
    last = page.locator(".tp-contents a").last

    def marked() -> bool:
        page.keyboard.press("End")  # again: a browser drops keys for a page that it has yet to paint
        return last.get_attribute("aria-current") == "location"

    happens(page, marked)
    expect(last).to_be_in_viewport()
    page.close()
