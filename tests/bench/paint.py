"""A page's cost to a phone's browser before and while it is painted: CPU time in Chromium, by kind of work.

    python -m tests.bench.paint [PAGE ...] [--runs 10]

Time on the processor is counted, not on the clock, so that other work does not disturb much. Lighthouse has a
phone take twice as long for a task with a layout in it, and what is over 50 ms after the first paint blocks.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from builder.build import build
from builder.output import FolderOutput
from tests.chromium import chromium
from tests.themes.conftest import FLAGS, PHONE, SAMPLE_SITE
from tests.themes.site import served

PAGES = ("/", "/docs/start/install", "/docs/reference/authoring-api", "/docs/components/")
WORK = ("ParseHTML", "EvaluateScript", "UpdateLayoutTree", "Layout", "PrePaint", "Paint")
"""As the browser calls it; `UpdateLayoutTree` is the choice of styles."""
TASK = "RunTask"
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]

Event = dict[str, Any]


def traced(browser: Browser, address: str) -> list[Event]:
    """Record the events of a browser that loads a page, as a reader's first one."""
    context = browser.new_context(viewport=PHONE, is_mobile=True)
    page = context.new_page()
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.goto(address)
    page.wait_for_timeout(500)
    events: list[Event] = json.loads(browser.stop_tracing())["traceEvents"]
    context.close()
    return events


def work(events: list[Event]) -> dict[str, float]:
    """Milliseconds of CPU on the page's main thread by kind of work, and of its longest task."""
    threads = Counter((event["pid"], event["tid"]) for event in events if event["name"] == "ParseHTML")
    ((main, _),) = threads.most_common(1)
    spent = [
        (event["name"], event.get("tdur", 0) / 1000)
        for event in events
        if (event["pid"], event["tid"]) == main
    ]
    sums = {kind: sum(time for name, time in spent if name == kind) for kind in WORK}
    return {**sums, "longest task": max(time for name, time in spent if name == TASK)}


def main() -> None:
    """Print the medians of every page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", default=PAGES)
    parser.add_argument("--runs", type=int, default=10)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build(SAMPLE_SITE, FolderOutput(Path(folder)))
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        with served(Path(folder)) as address:
            for page in asked.pages:
                runs = [work(traced(browser, address + page)) for _ in range(asked.runs)]
                medians = {kind: statistics.median(run[kind] for run in runs) for kind in runs[0]}
                print(page, *(f"{kind} {time:.1f} ms" for kind, time in medians.items()), sep="  ")


if __name__ == "__main__":
    main()
