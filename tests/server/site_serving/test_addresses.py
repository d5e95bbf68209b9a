"""Addresses: those of the preview, with redirects as answers of the server."""

from __future__ import annotations

import pytest

from tests.server.commands import Answer, serving
from tests.server.http_client import request
from tests.server.site_serving.asking import BROWSER

MARKDOWN = "text/markdown"
PATHS = [
    "/",
    "/index",
    "/index.html",
    "/docs",
    "/docs/",
    "/docs/x",
    "/docs/x/",
    "/docs/x.html",
    "/docs/x.md",
    "/docs/x?a=1",
    "/docs/x/?a=1&b=2",
    "/docs/guide",
    "/docs/guide/",
    "/docs/guide/index",
    "/docs/guide/data.csv",
    "/docs/guide/clip.mp4",
    "/docs/%C3%BCn%C3%AF",
    "/docs/%C3%BCn%C3%AF/",
    "/llms/docs/x",
    "/llms/docs/x.md",
    "/llms/docs/guide/",
    "/llms/docs/guide",
    "/llms.txt",
    "/about",
    "/hello.txt",
    "/empty.bin",
    "/drawing.svg",
    "/404",
    "/404.html",
    "/missing",
    "/docs/missing/",
    "//docs/x",
    "/docs//x",
    "/docs/../hello.txt",
    "/%2e%2e/hello.txt",
    "/docs%2Fx",
    "/docs/x%00",
    "/%ff",
]
ALIKE = ("location", "content-location", "link")
"""Headers that are the same; the type is, too, where it is not that of a redirect's text."""


@pytest.fixture(scope="module")
def preview(source, built):
    with serving(source) as running:
        if not any("built in" in line for line in running.lines):
            running.says("All pages are checked")
        yield running


@pytest.mark.parametrize("accept", [BROWSER, MARKDOWN])
def test_addresses_are_answered_as_in_the_preview(readers, preview, accept):
    for path in PATHS:
        theirs = Answer(*request(preview.port, "GET", path, [("Accept", accept)]))
        ours = readers.get(path, Accept=accept)
        assert (path, ours.status) == (path, theirs.status)
        same = (*ALIKE, *(["content-type"] if ours.status < 300 or ours.status == 404 else []))
        assert [ours.headers.get(name) for name in same] == [theirs.headers.get(name) for name in same], path


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/old", "/docs/x#part"),
        ("/old.html", "/docs/x#part"),
        ("/old?a=1&b=%20", "/docs/x?a=1&b=%20#part"),
        ("/old-folder/", "https://example.com/a?b=c"),
        ("/old-folder/?d=e", "https://example.com/a?b=c&d=e"),
        ("/old-folder/index.html", "https://example.com/a?b=c"),
    ],
)
def test_redirects_of_the_site_keep_the_query(readers, path, location):
    for method in ("GET", "HEAD"):
        moved = readers.get(path, method=method)
        assert (moved.status, moved.headers["location"], moved.body) == (301, location, b"")


@pytest.mark.parametrize(("path", "location"), [("/old/", "/old"), ("/old-folder?x", "/old-folder/?x")])
def test_the_slash_of_an_old_address_comes_first(readers, path, location):
    moved = readers.get(path)
    assert (moved.status, moved.headers["location"]) == (308, location)


@pytest.mark.parametrize(
    ("path", "accept", "kind", "begins"),
    [
        ("/missing", BROWSER, "text/html", b"<!doctype html>"),
        ("/missing", MARKDOWN, "text/markdown", b"# Page not found"),
        ("/%0d%0aX-Own:1", BROWSER, "text/html", b"<!doctype html>"),
        ("/_tp/theme.0123456789.css", BROWSER, "text/plain", b"There is nothing"),
        ("/_tp/urls2.txt", MARKDOWN, "text/plain", b"There is nothing"),
    ],
)
def test_what_is_missing_is_for_no_search_engine(readers, path, accept, kind, begins):
    found = readers.get(path, Accept=accept)
    assert (found.status, found.headers["x-robots-tag"]) == (404, "noindex")
    assert found.headers["content-type"].partition(";")[0] == kind
    assert found.body.startswith(begins)
    assert (found.headers["cache-control"] == "no-store") == path.startswith("/_tp/")


def test_a_site_without_a_not_found_page_says_so_in_plain_text(readers):
    found = readers.get("/missing", "reef.localhost")
    assert (found.status, found.headers["content-type"]) == (404, "text/plain; charset=utf-8")
    assert found.text == "There is no page at this address.\n"
