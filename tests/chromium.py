"""The browser of the tests: Chromium, in the form without windows where that is there.

It draws the same pages in two thirds of the time. A browser that somebody has is good enough.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.waiting import PATIENCE

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs, the best first. `.ci/chromium` brings one."""


def chromium() -> str:
    """Return the path of the browser. Without one, the test is skipped; where CI is set, it fails."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        end = pytest.fail if os.environ.get("CI") else pytest.skip
        end("there is no Chromium: install the package `chromium`")
    return found


@contextmanager
def launched(flags: Sequence[str] = ("--no-sandbox",)) -> Iterator[Browser]:
    """Run the browser for the time of the block; all that a test waits for there has PATIENCE seconds."""
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=list(flags))
        started.on("context", lambda context: context.set_default_timeout(PATIENCE * 1000))
        yield started
        started.close()
