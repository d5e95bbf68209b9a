"""Feeds: what a page with `feed: true` and `Update` entries gives programs that follow a changelog."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from xml.etree import ElementTree

import pytest

from builder.build import build
from builder.cache import Use
from builder.markdown.body import render
from builder.output import FolderOutput
from builder.plan.options import Options
from builder.preview.preview import Preview
from tests.sites import build_site, write_site

_ATOM = "{http://www.w3.org/2005/Atom}"
SITE = "title: Harbour & <Co>\nurl: https://o.example/repo\nextras: [update]\n"
PAGE = """\
---
title: Changelog
feed: true
---

<Update label="2.4 <b>" date="2026-03-09" tags="Search, A&B">

Read [the guide](./index.md), [above](#24-b) and [more](https://more.example/?a=1&b=2).

![The harbour](./a.png)

</Update>

<Update label="Soon">Without a day.</Update>

<Update date="2026-02-28">First \u0001.</Update>
"""
FILES = {"site.yml": SITE, "docs/index.md": "# Start\n", "docs/log.mdx": PAGE, "docs/a.png": b""}


def text(element: ElementTree.Element, name: str) -> str:
    return element.findtext(f"{_ATOM}{name}") or ""


def test_a_feed_has_the_entries_with_a_day_in_the_order_of_the_page(tmp_path: Path) -> None:
    built = build_site(tmp_path, FILES)
    feed = ElementTree.fromstring(built.text("docs/log.xml"))
    assert feed.tag == f"{_ATOM}feed"
    assert text(feed, "id") == "https://o.example/repo/docs/log.xml"
    assert text(feed, "title") == "Changelog | Harbour & <Co>"
    assert text(feed, "updated") == "2026-03-09T00:00:00Z"
    assert feed.findtext(f"{_ATOM}author/{_ATOM}name") == "Harbour & <Co>"
    entries = feed.findall(f"{_ATOM}entry")
    assert [text(entry, "title") for entry in entries] == ["2.4 <b>", "February 28, 2026"]
    assert [text(entry, "updated")[:10] for entry in entries] == ["2026-03-09", "2026-02-28"]
    assert [element.get("term") for element in entries[0].findall(f"{_ATOM}category")] == ["Search", "A&B"]
    ids = [text(entry, "id") for entry in entries]
    assert ids == [f"https://o.example/repo/docs/log#{anchor}" for anchor in ("24-b", "february-28-2026")]


def test_all_addresses_of_a_feed_are_absolute(tmp_path: Path) -> None:
    built = build_site(tmp_path, FILES)
    feed = ElementTree.fromstring(built.text("docs/log.xml"))
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{_ATOM}link")}
    assert links["self"] == "https://o.example/repo/docs/log.xml"
    assert links["alternate"] == "https://o.example/repo/docs/log"
    content = feed.findtext(f"{_ATOM}entry/{_ATOM}content") or ""
    assert re.findall(' (?:href|src)="([^"]*)"', content) == [
        "https://o.example/repo/docs/",
        "https://o.example/repo/docs/log#24-b",
        "https://more.example/?a=1&amp;b=2",
        "https://o.example/repo/docs/a.png",
    ]


def test_a_page_with_a_feed_names_it(tmp_path: Path) -> None:
    built = build_site(tmp_path, FILES)
    link = '<link rel="alternate" type="application/atom+xml" href="/repo/docs/log.xml" title="Changelog">'
    assert link in built.text("docs/log.html")
    assert "atom+xml" not in built.text("docs/index.html")


def test_an_entry_without_a_day_is_told_with_its_place(tmp_path: Path) -> None:
    built = build_site(tmp_path, FILES)
    found = [(one.line, one.column, one.code) for one in built.diagnostics if one.code == "feed-invalid"]
    assert found == [(14, 1, "feed-invalid")]


@pytest.mark.parametrize(
    ("site", "page", "hint"),
    [
        (SITE.replace("url: https://o.example/repo\n", ""), PAGE, "add `url` to `site.yml`"),
        (SITE.replace("[update]", "[]"), PAGE, "add `update` to `extras` in `site.yml`"),
        (SITE, "---\nfeed: true\n---\n\nText.\n", "add an `Update`, or remove `feed`"),
    ],
    ids=["no url", "no extra", "no entry"],
)
def test_what_a_feed_lacks_is_told(site: str, page: str, hint: str, tmp_path: Path) -> None:
    built = build_site(tmp_path, {**FILES, "site.yml": site, "docs/log.mdx": page})
    assert hint in [one.hint for one in built.diagnostics if one.code == "feed-invalid"]


def test_a_file_in_the_place_of_a_feed_is_told(tmp_path: Path) -> None:
    built = build_site(tmp_path, {**FILES, "docs/log.xml": "<mine/>"})
    assert "path-conflict" in built.codes
    assert "<feed" in built.text("docs/log.xml")


def test_a_feed_follows_its_page_and_stays_when_nothing_changes(tmp_path: Path) -> None:
    root, out = write_site(tmp_path, FILES), tmp_path / "out"
    build(root, FolderOutput(out))
    before = (out / "docs/log.xml").read_text("utf-8")
    build(root, FolderOutput(out))
    assert (out / "docs/log.xml").read_text("utf-8") == before
    page = root / "docs/log.mdx"
    page.write_text(page.read_text("utf-8").replace("First", "Very first"), "utf-8")
    build(root, FolderOutput(out))
    assert "Very first" in (out / "docs/log.xml").read_text("utf-8")


def test_the_preview_has_the_feed_of_the_text_as_it_is_now(tmp_path: Path) -> None:
    root = write_site(tmp_path, FILES)
    preview = Preview(root, Options())
    preview.update()
    assert preview.get("docs/log.xml") == build_site(tmp_path, FILES).output.get("docs/log.xml")
    changed = {**FILES, "docs/log.mdx": PAGE.replace("First", "Very first")}
    expected = build_site(tmp_path, changed).output.get("docs/log.xml")
    preview.update(["docs/log.mdx"])
    assert preview.get("docs/log.xml") == expected
    assert expected
    assert b"Very first" in expected
    preview.close()


@pytest.mark.parametrize("cached", [False, True])
def test_a_feed_is_the_same_when_the_cache_has_its_page(tmp_path: Path, cached: bool) -> None:
    root, out = write_site(tmp_path, FILES), tmp_path / "out"
    options = Options(cache="keep") if cached else Options()
    build(root, FolderOutput(out), options)
    before = (out / "docs/log.xml").read_bytes()
    (root / "docs/other.md").write_text("# Another\n", "utf-8")
    build(root, FolderOutput(out), options)
    assert (out / "docs/log.xml").read_bytes() == before


def rendered(root: Path, out: Path, options: Options) -> list[str]:
    """The content paths of the bodies that a build renders, sorted, each as often as it does."""
    found = list[str]()

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is render.__code__:
            found.append(frame.f_locals["source"].path)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        build(root, FolderOutput(out), options)
    finally:
        sys.setprofile(before)
    return sorted(found)


@pytest.mark.parametrize(
    ("use", "again", "beside"),
    [
        ("keep", [], ["docs/other"]),
        ("no", ["docs/index", "docs/log"], ["docs/index", "docs/log", "docs/other"]),
    ],
    ids=["cache", "no cache"],
)
def test_no_page_is_rendered_for_its_feed(
    tmp_path: Path, use: Use, again: list[str], beside: list[str]
) -> None:
    root, out, options = write_site(tmp_path, FILES), tmp_path / "out", Options(cache=use, jobs=1)
    assert rendered(root, out, options) == ["docs/index", "docs/log"]
    before = (out / "docs/log.xml").read_bytes()
    assert rendered(root, out, options) == again
    (root / "docs/other.md").write_text("# Another\n", "utf-8")
    assert rendered(root, out, options) == beside
    assert (out / "docs/log.xml").read_bytes() == before


def test_pages_from_other_processes_and_those_of_the_cache_have_the_same_feed(tmp_path: Path) -> None:
    root, out, built = write_site(tmp_path, FILES), tmp_path / "out", build_site(tmp_path / "beside", FILES)
    build(root, FolderOutput(out), Options(cache="keep", jobs=2))
    assert (out / "docs/log.xml").read_bytes() == built.output.get("docs/log.xml")
    (root / "site.yml").write_text(SITE.replace("Harbour", "Quay"), "utf-8")
    build(root, FolderOutput(out), Options(cache="keep", jobs=2))
    feed = built.text("docs/log.xml").replace("Harbour", "Quay")
    assert (out / "docs/log.xml").read_text("utf-8") == feed


def test_addresses_that_are_none_do_not_stop_a_feed(tmp_path: Path) -> None:
    page = PAGE.replace("https://more.example/?a=1&b=2", "https://[")
    built = build_site(tmp_path, {**FILES, "docs/log.mdx": page})
    assert ElementTree.fromstring(built.text("docs/log.xml")).tag == f"{_ATOM}feed"
