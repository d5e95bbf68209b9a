from __future__ import annotations

import pytest

from tests.chromium import launched
from tests.server.commands import serving
from tests.sites import write_site

OFFLINE = "net::ERR_"
STOPPING = "503 (Service Unavailable)"
IN_ITS_PLACE = ("('text/plain') is not executable", "('text/plain') is not a supported stylesheet")
"""Said of a script or a style in whose place the same answer came."""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
CLIP = bytes(range(256)) * 8192
SITE = {
    "site.yml": "title: My site\n",
    "docs/index.md": "# Start\n",
    "docs/x.mdx": "---\ntitle: X\n---\nBody of x.\n",
    "docs/guide/index.md": "# Guide\n",
    "docs/guide/data.csv": "a,b\n",
    "docs/guide/clip.mp4": CLIP,
    "docs/draft.md": "---\ndraft: true\n---\n# Hidden\n",
    "pages/about.md": "# About\n",
    "static/hello.txt": "hello",
    "static/empty.bin": b"",
}


@pytest.fixture(scope="module")
def preview(tmp_path_factory):
    with serving(write_site(tmp_path_factory.mktemp("site"), SITE)) as running:
        if not any("built in" in line for line in running.lines):
            running.says("All pages are checked")  # which is no answer to what a test does
        yield running


@pytest.fixture(scope="module")
def browser():
    with launched(FLAGS) as started:
        yield started


@pytest.fixture
def page(browser):
    """A tab in which any complaint of the page (the strict policy's too) fails the test."""
    # As for the tests of the theme: a browser that is led on amid a transition complains of it itself.
    context = browser.new_context(reduced_motion="reduce")
    tab = context.new_page()
    complaints: list[str] = []
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield tab
    # What is heard only now was said while the preview ended, which may have been amid a page's loading.
    during = len(complaints)
    context.close()
    expected = (STOPPING, *IN_ITS_PLACE)
    later = [text for text in complaints[during:] if not any(each in text for each in expected)]
    heard = complaints[:during] + later
    assert [text for text in heard if OFFLINE not in text] == []
