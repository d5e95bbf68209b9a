"""The sidebar as `site.yml` or `sidebar.yml` has it, in place of the folders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.sites import build_site
from tests.time_bounds import processor_seconds

PAGES = {
    f"docs/{name}.md": f"---\ntitle: {name[-1].upper()}\n---\nText.\n"
    for name in ("a", "b", "c", "r/x", "r/y")
}
FILE = """\
- docs/b
- heading: More
- label: Guide
  collapsed: true
  items:
    - docs/a
    - {page: docs/c, label: Sea}
- folder: docs/r
- {label: Status, href: "https://status.example"}
"""


def shown(html: str) -> list[str]:
    """The labels in the sidebar, in order."""
    menu = html.partition('<ul class="tp-tree">')[2].partition("</nav>")[0]
    return re.findall(r"(?:<strong>|<a [^>]*>)([^<]+)<", menu)


@pytest.mark.parametrize("place", ["file", "inside"])
def test_the_sidebar_has_the_entries_in_their_order(tmp_path: Path, place: str) -> None:
    lines = "".join(f"  {line}\n" for line in FILE.splitlines())
    config = "sidebar: sidebar.yml\n" if place == "file" else f"sidebar:\n{lines}"
    site = build_site(tmp_path, {"site.yml": f"title: T\n{config}", "sidebar.yml": FILE, **PAGES})
    assert site.diagnostics == ()
    html = site.text("docs/a.html")
    assert shown(html) == ["B", "More", "Guide", "A", "Sea", "R", "X", "Y", "Status"]
    assert 'href="/docs/a" aria-current="page"' in html
    assert 'rel="prev"><span>Previous</span> B<' in html
    assert 'rel="next"><span>Next</span> C<' in html
    assert "Guide</a></li>" in html.partition("tp-breadcrumbs")[2]
    assert site.text("llms.txt").index("[B]") < site.text("llms.txt").index("[A]")
    assert "docs/r/index.html" in site.output.paths


def test_links_within_the_site_are_resolved_and_checked(tmp_path: Path) -> None:
    config = "title: T\nurl: https://o.example/r\ndocs_at: /\nextras: [slug]\nsidebar: sidebar.yml\n"
    hrefs = {"B": "/docs/b", "S": "docs/s.md#part", "N": "/docs/x"}
    lines = ("docs/a", *(f"{{label: {label}, href: {href}}}" for label, href in hrefs.items()))
    pages = {"docs/a.md": "A.\n", "docs/b.md": "B.\n", "docs/s.md": "---\nslug: /sea\n---\nS.\n"}
    files = {"site.yml": config, "sidebar.yml": "".join(f"- {line}\n" for line in lines), **pages}
    site = build_site(tmp_path, files)
    html = site.text("a.html").partition("tp-tree")[2]
    assert re.findall(r'href="([^"]+)">[BSN]<', html) == ["/r/b", "/r/sea#part", "/r/docs/x"]
    broken = [found for found in site.diagnostics if found.code == "broken-link"]
    assert [(found.file, found.line, found.column) for found in broken] == [("sidebar.yml", 4, 20)]


def test_a_page_of_two_groups_belongs_to_the_first_and_the_other_leads_to_it(tmp_path: Path) -> None:
    config = """\
title: T
url: https://o.example/r
nav:
  - {label: One, href: /docs/a, sidebar: one}
  - {label: Two, href: /docs/c, sidebar: two}
sidebar:
  - {name: one, label: One, items: [docs/a, docs/b, {folder: docs/r}]}
  - {name: two, label: Two, items: [docs/c, {page: docs/b, label: Both}]}
"""
    site = build_site(tmp_path, {"site.yml": config, **PAGES})
    assert site.diagnostics == ()
    assert shown(site.text("docs/b.html")) == ["A", "B", "R", "X", "Y"]
    assert shown(site.text("docs/c.html")) == ["C", "Both"]
    assert 'href="/r/docs/b">Both' in site.text("docs/c.html")
    assert 'rel="next"' not in site.text("docs/c.html")


def test_pages_that_are_left_out_are_built_and_told_once(tmp_path: Path) -> None:
    site = build_site(
        tmp_path, {"site.yml": "title: T\nurl: https://o.example\nsidebar: [docs/b, docs/c]\n", **PAGES}
    )
    assert site.codes == ["sidebar-left-out"]
    assert "`docs/a`, `docs/r/x`, `docs/r/y`" in site.diagnostics[0].message
    assert 'content="noindex"' in site.text("docs/a.html")
    assert "docs/a<" not in site.text("sitemap.xml")
    assert "docs/a.md" not in site.text("llms.txt")


WRONG = [
    ("[docs/zz]", "sidebar[0]: there is no page `docs/zz`", 2),
    ("[docs/b, {folder: docs/rr}]", "there is no folder `docs/rr`", 2),
    ("[docs/b, docs/b]", "named twice", 2),
    ("[docs/b, {label: L}]", "no entry", 2),
    ("[{label: L, items: []}]", "no entry", 2),
    ("[docs/b, {folder: pages}]", "there is no folder `pages` with pages", 2),
    ("[{folder: docs/r, href: /x}]", "`folder` and `href`", 2),
]


@pytest.mark.parametrize(("entries", "message", "line"), WRONG)
def test_entries_that_lead_nowhere_are_errors_with_their_line(
    tmp_path: Path, entries: str, message: str, line: int
) -> None:
    site = build_site(tmp_path, {"site.yml": f"title: T\nsidebar: {entries}\n", **PAGES})
    (found,) = (one for one in site.diagnostics if one.code == "sidebar-invalid")
    assert message in found.message
    assert (found.file, found.line, found.level) == ("site.yml", line, "error")


def test_the_nearest_name_is_said_and_the_file_is_named(tmp_path: Path) -> None:
    files = {
        "site.yml": "title: T\nsidebar: sidebar.yml\n",
        "sidebar.yml": "- docs/r/x\n- docs/r/yy\n",
        **PAGES,
    }
    found = next(one for one in build_site(tmp_path, files).diagnostics if one.code == "sidebar-invalid")
    assert (found.file, found.line, "docs/r/y" in found.hint) == ("sidebar.yml", 2, True)


def test_a_group_that_nav_names_is_a_sidebar_of_its_own(tmp_path: Path) -> None:
    config = """\
title: T
nav:
  - {label: One, href: /docs/a, sidebar: one}
  - {label: Two, href: /docs/c, sidebar: two}
sidebar:
  - {name: one, label: One, items: [docs/a, docs/b]}
  - {name: two, label: Two, items: [docs/c, {folder: docs/r}]}
"""
    site = build_site(tmp_path, {"site.yml": config, **PAGES})
    assert site.diagnostics == ()
    assert shown(site.text("docs/a.html")) == ["A", "B"]
    assert shown(site.text("docs/r/x.html")) == ["C", "R", "X", "Y"]
    assert 'rel="next"' not in site.text("docs/b.html")
    wrong = build_site(tmp_path / "w", {"site.yml": config.replace("sidebar: two", "sidebar: tow"), **PAGES})
    assert wrong.codes == ["sidebar-invalid"]


PARTS = """\
title: T
nav:
  - {label: One, href: /docs/a, sidebar: one}
  - label: More
    items:
      - {label: Two, href: /docs/c, sidebar: two}
      - {label: Far, href: "https://far.example"}
sidebar:
  - {name: one, label: One, items: [docs/a, docs/b]}
  - {name: two, label: Two, items: [docs/c, {folder: docs/r}]}
"""
CURRENT = {
    "docs/a.html": ["One"],
    "docs/b.html": ["One"],
    "docs/c.html": ["More", "Two"],
    "docs/r/x.html": ["More", "Two"],
    "docs/r/index.html": ["More", "Two"],
    "404.html": [],
}


def test_the_entry_of_the_part_that_the_reader_is_in_is_marked(tmp_path: Path) -> None:
    site = build_site(tmp_path, {"site.yml": PARTS, **PAGES})
    assert site.diagnostics == ()
    for path, labels in CURRENT.items():
        bar = site.text(path).partition('<nav class="tp-nav"')[2].partition("</nav>")[0]
        assert re.findall(r'aria-current="true">([^<]+)<', bar) == labels, path
    assert shown(site.text("docs/r/index.html")) == ["C", "R", "X", "Y"]


def test_a_standalone_page_can_stand_in_the_sidebar(tmp_path: Path) -> None:
    about = {"pages/about.md": "---\ntitle: About us\n---\nText.\n", "pages/alone.md": "Alone.\n"}
    sidebar = "[docs/a, docs/b, {label: More, items: [pages/about]}, docs/c, {folder: docs/r}]"
    config = f"title: T\nurl: https://o.example\nsidebar: {sidebar}\n"
    site = build_site(tmp_path, {"site.yml": config, **about, **PAGES})
    assert site.diagnostics == ()
    html = site.text("about.html")
    assert (
        shown(html) == shown(site.text("docs/a.html")) == ["A", "B", "More", "About us", "C", "R", "X", "Y"]
    )
    assert 'href="/about" aria-current="page"' in html
    assert 'rel="prev"><span>Previous</span> B<' in html
    assert "More</a></li>" in html.partition("tp-breadcrumbs")[2]
    assert [site.text(name).count("/about") for name in ("llms.txt", "sitemap.xml")] == [1, 1]
    assert "tp-tree" not in site.text("alone.html")
    assert "tp-tree" not in build_site(tmp_path / "w", {"site.yml": "title: T\n", **about, **PAGES}).text(
        "about.html"
    )


STANDALONE = {
    "pages/about.md": "---\ntitle: Us\n---\nText.\n",
    "pages/first.md": "---\ntitle: Z\nsidebar_position: 1\n---\nText.\n",
    "pages/hidden.md": "---\nunlisted: true\n---\nText.\n",
}
HOME = {"pages/index.md": "---\ntitle: Home\n---\nText.\n"}
INDEX = {"docs/index.md": "---\ntitle: Start\n---\nText.\n"}
FOLDERS = [
    ("[docs/a, {folder: pages}]", STANDALONE, ["A", "Pages", "Z", "Us"]),
    ("[docs/a, {folder: pages, label: More}]", {**STANDALONE, **HOME}, ["A", "More", "Z", "Us"]),
    ("[{folder: pages}, {folder: docs}]", HOME, ["Home", "Docs", "A", "B", "C", "R", "X", "Y"]),
    ("[{folder: docs}]", {**HOME, **INDEX}, ["Start", "A", "B", "C", "R", "X", "Y"]),
]


@pytest.mark.parametrize(("entries", "more", "labels"), FOLDERS)
def test_a_content_root_can_stand_in_the_sidebar_as_it_is(
    tmp_path: Path, entries: str, more: dict[str, str], labels: list[str]
) -> None:
    site = build_site(tmp_path, {"site.yml": f"title: T\nsidebar: {entries}\n", **more, **PAGES})
    assert set(site.codes) <= {"sidebar-left-out"}
    for path in ("docs/a.html", "index.html" if "pages/index.md" in more else "about.html"):
        if path != "index.html" or "{folder: pages" in entries:
            assert shown(site.text(path)) == labels
    assert ('href="/docs/"' in site.text("docs/a.html")) is ("{folder: docs}" in entries)
    assert "docs/index.html" in site.output.paths
    assert "pages/index.html" not in site.output.paths


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("entry", ["{folder: docs/}", "{label: Top, items: [{folder: docs}]}"])
def test_the_folder_of_all_pages_can_stand_in_the_sidebar(tmp_path: Path, entry: str, index: bool) -> None:
    home = {"docs/index.md": "---\ntitle: Start\n---\nText.\n"} if index else {}
    site = build_site(tmp_path, {"site.yml": f"title: T\nsidebar: [{entry}]\n", **home, **PAGES})
    assert site.diagnostics == ()
    top = ["Top"] if "Top" in entry else []
    folder = "Start" if index else "Docs"
    for page in ("a", "c", "r/x", "index"):
        html = site.text(f"docs/{page}.html")
        assert shown(html) == [*top, folder, "A", "B", "C", "R", "X", "Y"]
        assert html.partition("tp-tree")[2].count('aria-current="page"') == 1


def test_the_index_page_of_a_folder_in_a_group_keeps_the_group_above_it(tmp_path: Path) -> None:
    config = "title: T\nsidebar: [{label: Guide, items: [docs/r/index, docs/a]}]\n"
    site = build_site(tmp_path, {"site.yml": config, "docs/r/index.md": "# R\n", **PAGES})
    assert ">Guide</a></li>" in site.text("docs/r/index.html").partition("tp-breadcrumbs")[2]


HOSTILE = {
    "cycle": "&a\n- {label: L, items: *a}\n",
    "aliases": "- &a {label: a, items: [docs/a]}\n"
    + "".join(
        f"- &{chr(98 + n)} {{label: x, items: [{', '.join(['*' + chr(97 + n)] * 9)}]}}\n" for n in range(9)
    ),
    "deep": "[" * 5_000 + "]" * 5_000,
    "groups": "- " + "{label: L, items: [" * 30 + "docs/a" + "]}" * 30 + "\n",
    "many": "- docs/zzzz\n" * 20_000,
    "text": "docs/a",
    "no yaml": "- {",
    "bytes": "- \x00\x07\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_file_is_told_in_bounded_time(tmp_path: Path, text: str) -> None:
    files = {"site.yml": "title: T\nsidebar: sidebar.yml\n", "sidebar.yml": text, **PAGES}
    with processor_seconds(4):
        site = build_site(tmp_path, files)
    assert site.codes
    assert "docs/a.html" in site.output.paths
