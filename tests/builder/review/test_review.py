"""A page by itself is told what a check of the whole site says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.build import build
from builder.output import MemoryOutput
from builder.plan.options import Options
from builder.produce.check_site import check_site
from builder.review import Inbound, Review
from builder.store import ContentStore, Source
from tests.sites import write_site

SAMPLE = Path(__file__).parents[3] / "sample-site"

LINKED = {
    "site.yml": "title: T\n",
    "docs/a.md": "# A\n\n## Part\n\n[b](b.md) [c](c#gone) [no](nowhere) [draft](d)\n",
    "docs/b.mdx": "---\ntitle: 3\n---\n\n<Crad>x</Crad> [a](/docs/a#part) [a](a#prat)\n",
    "docs/c.md": "![x](no.png) [home](/)\n",
    "docs/c.llms.md": "[gone](gone.md) [a](a.md#part)\n",
    "docs/d.md": "---\ndraft: true\n---\n\n[a](a)\n",
    "docs/sub/index.md": "[up](..) [b](../b)\n",
    "pages/about.md": "[b](/docs/b#x)\n",
}


def everything(root: Path) -> set[object]:
    """Return the findings in reviews of all pages."""
    with ContentStore(root) as store:
        review = Review(root, store)
        site = review.site()
        return {
            one
            for page in site.pages
            for one in review.page(store.read(page.path), page.twin_file)
        }  # fmt: skip


def test_reviews_of_all_pages_say_what_a_check_says(tmp_path: Path) -> None:
    root = write_site(tmp_path, LINKED)
    told = {one for one in build(root, MemoryOutput()).diagnostics if one.file != "site.yml"}
    assert len(told) > 8
    assert everything(root) == told


def test_reviews_of_the_sample_site_say_nothing() -> None:
    assert not everything(SAMPLE)


def source(text: str, path: str = "docs/new", twin: str | None = None) -> Source:
    """A page that is not written yet."""
    return Source(path, "md", text, twin, "", f"{path}.md")


def test_a_page_that_is_not_there_yet_is_seen_in_its_place(tmp_path: Path) -> None:
    root = write_site(tmp_path, LINKED)
    with ContentStore(root) as store:
        review = Review(root, store)
        found = review.page(source("[self](new#part) [a](a#part)\n\n## Part\n"), "")
        assert found == ()
        (broken,) = review.page(source("\n[b](b#no)\n"), "")
        assert (broken.file, broken.line, broken.column, broken.code) == (
            "docs/new.md",
            2,
            5,
            "broken-anchor",
        )
        (stale,) = review.page(source("", twin="\n\n[x](x)\n"), "docs/new.llms.md")
        assert (stale.file, stale.line, stale.code) == ("docs/new.llms.md", 3, "broken-link")


def test_a_draft_that_links_to_itself_is_told_what_it_would_be_when_published(tmp_path: Path) -> None:
    root = write_site(tmp_path, LINKED)
    text = "---\ndraft: true\n---\n\n## Part\n\n[by file](d.md#part) [by path](/docs/d) [gone](d#no)\n"
    with ContentStore(root) as store:
        review = Review(root, store)
        drafted = review.page(source(text, "docs/d"), "")
        assert [one.code for one in drafted] == ["broken-anchor"]
        (other,) = review.page(source("[d](d)\n"), "")
        assert other.code == "link-draft"


def test_what_changes_between_two_reviews_is_seen(tmp_path: Path) -> None:
    root = write_site(tmp_path, LINKED)
    page = source("[c](c#later)\n")
    with ContentStore(root) as store:
        review = Review(root, store)
        assert [one.code for one in review.page(page, "")] == ["broken-anchor"]
        (root / "docs/c.md").write_text("# Later\n")
        assert not review.page(page, "")
        (root / "docs/c.md").rename(root / "docs/e.md")
        assert [one.code for one in review.page(page, "")] == ["broken-link"]


INBOUND = {
    "docs/a": [
        Inbound("docs/b", "docs/b.mdx", 5, 20),
        Inbound("docs/b", "docs/b.mdx", 5, 38),
        Inbound("docs/c", "docs/c.llms.md", 1, 21),
        Inbound("docs/d", "docs/d.md", 5, 5),
    ],
    "docs/b": [
        Inbound("docs/a", "docs/a.md", 5, 5),
        Inbound("docs/sub/index", "docs/sub/index.md", 1, 14),
        Inbound("pages/about", "pages/about.md", 1, 5),
    ],
    "docs/d": [Inbound("docs/a", "docs/a.md", 5, 45)],
    "docs/sub/index": [],
    "docs/none": [],
}


@pytest.mark.parametrize("path", INBOUND)
def test_links_that_would_lead_nowhere_without_a_page_are_found(tmp_path: Path, path: str) -> None:
    root = write_site(tmp_path, LINKED)
    with ContentStore(root) as store:
        assert list(Review(root, store).inbound(path)) == INBOUND[path]


SETTINGS = """nav:
  - {label: A, href: /docs/g/a}
  - label: More
    items:
      - {label: A, href: "/docs/g/a#x"}
  - {label: Go, href: /docs/g/a, primary: true}
footer:
  links: [{label: A, href: /docs/g/a}]
  columns:
    - label: C
      items:
        - {label: A, href: /docs/g/}
redirects:
  /old: /docs/g/a
  /past/*: /docs/g/a
sidebar: sidebar.yml
"""
SIDEBAR = "- docs/b\n- label: G\n  items:\n    - docs/g/a\n- folder: docs/g\n- {label: L, href: /docs/g/a}\n"


def test_links_of_header_footer_sidebar_and_redirects_would_lead_nowhere(tmp_path: Path) -> None:
    files = {
        "site.yml": SETTINGS,
        "sidebar.yml": SIDEBAR,
        "static/_redirects": "/theirs /docs/g/a\n",
        "docs/g/a.md": "# A\n\n## X\n",
        "docs/b.md": "# B\n\n[The folder](/docs/g/)\n",
    }
    with ContentStore(write_site(tmp_path, files)) as store:
        found = Review(tmp_path, store).inbound("docs/g/a")
    assert [(one.file, one.line) for one in found if one.path] == [("docs/b.md", 3)]
    places = {(one.file, one.line) for one in found if not one.path}
    assert {line for file, line in places if file == "site.yml"} == {2, 5, 6, 8, 12, 14, 15}
    assert {line for file, line in places if file == "sidebar.yml"} >= {4, 6}
    assert ("static/_redirects", 1) in places


def test_a_page_that_the_sidebar_leaves_out_is_told_so(tmp_path: Path) -> None:
    files = {"site.yml": "sidebar: sidebar.yml\n", "sidebar.yml": "- docs/a\n", "docs/a.md": "# A\n"}
    root = write_site(tmp_path, {**files, "docs/b.md": "# B\n"})

    def told(path: str, text: str = "# X\n") -> list[str]:
        source = Source(path, "md", text, None, "", f"{path}.md")
        seen = review.glance(source, "", review.outline())
        assert seen is not None
        assert review.page(source, "") == seen
        return [one.code for one in seen]

    with ContentStore(root) as store:
        review = Review(root, store)
        assert told("docs/a") == []
        assert told("docs/b") == told("docs/new") == ["sidebar-left-out"]
        assert told("docs/new", "---\nunlisted: true\n---\n# X\n") == []
        assert told("pages/new") == []
        (root / "sidebar.yml").write_text("- docs/a\n- docs/b\n")
        assert told("docs/b") == []
        (root / "docs/b.md").write_text("---\nunlisted: true\n---\n# B\n")
        review.site()
        (root / "sidebar.yml").write_text("- docs/a\n")
        assert told("docs/b") == ["sidebar-left-out"]


MOVED = {
    "site.yml": """\
docs_at: /
extras: [slug, includes, components]
nav: [{label: A, href: /x/y}]
sidebar: sidebar.yml
redirects:
  /old: /x/y
  /older: /b
""",
    "sidebar.yml": "- docs/b\n- docs/a\n- docs/c\n- docs/d\n- docs/e\n",
    "static/_redirects": "/two /b\n/one /x/y\n",
    "docs/a.mdx": "---\nslug: /x/y\n---\n# A\n",
    "docs/b.mdx": "# B\n\n[by address](/x/y) [by path](/docs/a) [other](/c)\n",
    "docs/c.mdx": "# C\n\n<Include src='_part.mdx' />\n",
    "docs/d.mdx": "# D\n\n<Own/>\n",
    "docs/e.mdx": "# E\n",
    "docs/_part.mdx": "[part](/x/y)\n",
    "_components/Own.mdx": "[own](/x/y)\n",
}


def test_links_by_other_addresses_from_parts_and_from_settings_are_found(tmp_path: Path) -> None:
    root = write_site(tmp_path, MOVED)
    with ContentStore(root) as store:
        review = Review(root, store)
        found = [(one.path, one.file, one.line) for one in review.inbound("docs/a")]
        assert review.inbound("docs/e") == (Inbound("", "sidebar.yml", 5, 3),)
    assert found == [
        ("", "sidebar.yml", 2),
        ("", "site.yml", 3),
        ("", "site.yml", 6),
        ("", "static/_redirects", 2),
        ("docs/b", "docs/b.mdx", 3),
        ("docs/b", "docs/b.mdx", 3),
        ("docs/c", "docs/c.mdx", 3),
        ("docs/d", "docs/d.mdx", 3),
    ]


SLUGS = [
    ("slug: /here", []),
    ("slug: ../x", [(3, "frontmatter-type")]),
    ("slug: /api/v1/x", [(3, "frontmatter-type")]),
]


@pytest.mark.parametrize(("line", "wrong"), SLUGS)
def test_of_a_slug_that_counts_only_faults_are_told(
    tmp_path: Path, line: str, wrong: list[tuple[int, str]]
) -> None:
    root = write_site(tmp_path, {"site.yml": "title: T\nextras: [slug]\n", "docs/a.md": "# A\n"})
    source = Source("docs/b", "md", f"---\ntitle: B\n{line}\n---\nB.\n", None, "", "docs/b.md", ())
    with ContentStore(root) as store:
        review = Review(root, store)
        found = review.page(source, "")
        glance = review.glance(source, "", review.site())
    assert [(one.line, one.code) for one in found] == wrong
    assert glance in (None, found)
    write_site(root, {"docs/b.md": source.text})
    assert check_site(root, Options()).diagnostics == found
