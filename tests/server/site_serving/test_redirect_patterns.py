"""Redirects for many addresses on published sites, and what their pages may load."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.site_serving.asking import Readers, serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.sites import build_site

FILES = {
    "site.yml": """\
title: Moor
docs_at: /
extras: [slug]
redirects:
  /docs/*: /:splat
  /guide/*: /elsewhere/:splat
  /blog/:year/:name: https://blog.example/:name?y=:year
  /part/*: /x?tab=2#part
  /old/exact: /x
  /X: /x
  /GUIDE/: /guide/
  /old/*: /guide/*
analytics: {plausible: docs.example.com}
""",
    "static/_redirects": "/from-file/* /guide/:splat 301\n/one-file /x\n",
    "docs/x.mdx": "# X\n\n## Part\n",
    "docs/guide/index.md": "# Guide\n",
    "docs/guide/a.md": "# A\n",
    "docs/s.mdx": "---\nslug: /old/page\n---\n# Slug\n",
}
PLAUSIBLE = "https://plausible.io"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of data with the site."""
    made = build_site(tmp_path_factory.mktemp("moor"), FILES)
    assert {found.code for found in made.diagnostics} == {"redirect-case"}
    folder = tmp_path_factory.mktemp("data")
    publish(release_store(folder), made.output.written)
    mount(folder, {HOST: SITE})
    return folder


@pytest.fixture(scope="module")
def readers(data: Path) -> Iterator[Readers]:
    with serving_sites(data) as running:
        yield running


MOVED = [
    ("/docs/x", "/x"),
    ("/docs/guide/a?q=1&r=%20", "/guide/a?q=1&r=%20"),
    ("/docs//evil.example", "/evil.example"),
    ("/guide/zz", "/elsewhere/zz"),
    ("/blog/2024/tides", "https://blog.example/tides?y=2024"),
    ("/blog/2024/tides?q=1", "https://blog.example/tides?y=2024&q=1"),
    ("/part/1?q=1", "/x?tab=2&q=1#part"),
    ("/old/exact", "/x"),
    ("/X?q=1", "/x?q=1"),
    ("/GUIDE", "/guide/"),
    ("/GUIDE/", "/guide/"),
    ("/old/else", "/guide/else"),
    ("/from-file/a", "/guide/a"),
    ("/one-file?a", "/x?a"),
]


@pytest.mark.parametrize(("path", "location"), MOVED)
def test_what_matches_is_led_on_with_its_query(readers: Readers, path: str, location: str) -> None:
    found = readers.get(path)
    assert (found.status, found.headers["location"]) == (301, location)


@pytest.mark.parametrize("path", ["/guide/", "/guide/a", "/guide/a.md", "/old/page", "/x", "/"])
def test_a_page_that_exists_is_never_hidden(readers: Readers, path: str) -> None:
    assert readers.get(path).status == 200


@pytest.mark.parametrize("path", ["/blog/2024", "/blog/2024/a/b", "/nowhere", "/_tp/nothing.js"])
def test_what_matches_nothing_is_not_found(readers: Readers, path: str) -> None:
    assert readers.get(path).status == 404


def test_pages_load_scripts_from_elsewhere_where_the_operator_allows_it(data: Path, readers: Readers) -> None:
    closed = readers.get("/x").headers["content-security-policy"]
    assert PLAUSIBLE not in closed
    assert "sandbox" not in closed.split("; ")
    with serving_sites(data, "--allow-analytics") as open_ones:
        found = open_ones.get("/x")
        policy = found.headers["content-security-policy"]
    assert policy.replace(f" {PLAUSIBLE}", "") == closed
    assert policy.count(PLAUSIBLE) == 2
    assert f'src="{PLAUSIBLE}/js/script.js"' in found.text
