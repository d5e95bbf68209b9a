"""The sidebar's order, its marks, and what it shows of a large site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from builder.plan.options import Options
from tests.sites import Files, build_site


def page(title: str, **fields: object) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"---\ntitle: {title}\n{lines}---\nText.\n"


def sidebar(html: str) -> str:
    found = re.search(r'<ul class="tp-tree">.*?</nav>', html, re.DOTALL)
    return found[0] if found else ""


def labels(html: str) -> list[str]:
    return re.findall(r"<a href=\"[^\"]*\"[^>]*>([^<]*)</a>", sidebar(html))


CASES: list[tuple[str, Files, list[str]]] = [
    (
        "positions may be fractions and negative",
        {
            "docs/a.md": page("A", sidebar_position=2),
            "docs/b.md": page("B", sidebar_position=1.5),
            "docs/c.md": page("C", sidebar_position=-1),
        },
        ["C", "B", "A"],
    ),
    (
        "entries without a position come after those with one, by label",
        {
            "docs/a.md": page("Zebra"),
            "docs/b.md": page("apple"),
            "docs/c.md": page("Last", sidebar_position=99),
        },
        ["Last", "apple", "Zebra"],
    ),
    (
        "the sidebar's own label wins over the title",
        {"docs/a.md": page("A long title", sidebar_label="Short")},
        ["Short"],
    ),
    (
        "a category takes its label and place from its category file",
        {
            "docs/a.md": page("A", sidebar_position=5),
            "docs/guide/x.md": page("X"),
            "docs/guide/_category_.yml": "label: The guide\nposition: 1\n",
        },
        ["The guide", "X", "A"],
    ),
    (
        "a category without a file is called like its folder, made readable",
        {"docs/quick-start/x.md": page("X")},
        ["Quick start", "X"],
    ),
    (
        "an index page is its category's own link and gives it label and place",
        {
            "docs/guide/index.md": page("Our guide", sidebar_position=0),
            "docs/guide/x.md": page("X"),
            "docs/a.md": page("A", sidebar_position=1),
        },
        ["Our guide", "X", "A"],
    ),
    (
        "the first page of the documentation comes first when it has no position",
        {
            "docs/index.md": page("Overview"),
            "docs/a.md": page("A", sidebar_position=0),
            "docs/b.md": page("B"),
        },
        ["Overview", "A", "B"],
    ),
    (
        "categories nest",
        {
            "docs/a/b/c.md": page("C"),
            "docs/a/d.md": page("D", sidebar_position=1),
        },
        ["A", "D", "B", "C"],
    ),
]


@pytest.mark.parametrize(("files", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_sidebar_lists_entries_in_the_authors_order(
    tmp_path: Path, files: Files, expected: list[str]
) -> None:
    built = build_site(tmp_path, {"site.yml": "title: T\n", **files})
    first = next(name for name in files if name.endswith(".md"))
    assert labels(built.text(first.replace(".md", ".html"))) == expected


def test_the_current_page_is_marked_once_and_its_branch_is_open(tmp_path: Path) -> None:
    files = {"docs/a/b/c.md": page("C"), "docs/a/e/f.md": page("F"), "docs/d.md": page("D")}
    html = sidebar(build_site(tmp_path, {"site.yml": "title: T\n", **files}).text("docs/a/b/c.html"))
    assert html.count('aria-current="page"') == 1
    assert '<a href="/docs/a/b/c" aria-current="page">C</a>' in html
    assert re.search(r'<a href="/docs/a/b/">[^<]*</a><details open>', html)
    assert re.search(r'<a href="/docs/a/e/">[^<]*</a><details>', html)


@pytest.mark.parametrize(("said", "is_open"), [("true", False), ("false", True)])
def test_a_category_elsewhere_starts_as_its_author_says(tmp_path: Path, said: str, is_open: bool) -> None:
    files = {
        "docs/here.md": page("Here"),
        "docs/away/x.md": page("X"),
        "docs/away/_category_.yml": f"collapsed: {said}\n",
    }
    html = sidebar(build_site(tmp_path, {"site.yml": "title: T\n", **files}).text("docs/here.html"))
    assert ('<a href="/docs/away/">Away</a><details open>' in html) is is_open


def test_a_category_without_an_index_page_gets_one_that_lists_its_children(tmp_path: Path) -> None:
    files = {
        "docs/guide/x.md": page("The X", description="About X."),
        "docs/guide/deep/y.md": page("Y"),
    }
    built = build_site(tmp_path, {"site.yml": "title: T\n", **files})
    html = built.text("docs/guide/index.html")
    assert "The X" in html
    assert "About X." in html
    assert 'href="/docs/guide/deep/"' in html
    assert built.twin("docs/guide/index.md") == (
        "# Guide\n\n- [Deep](/docs/guide/deep/)\n- [The X](/docs/guide/x): About X.\n"
    )


def test_the_label_of_a_category_has_the_values_of_variables(tmp_path: Path) -> None:
    files = {
        "site.yml": "title: T\nurl: https://t.example\nvariables: {product: Rocket, v: site}\n",
        "docs/guide/_category_.yml": "label: '%{product} <%{v}> %{none}'\nvariables: {v: '2'}\n",
        "docs/guide/x.md": page("X"),
        "docs/other/_category_.yml": "label: Of %{v}\n",
        "docs/other/y.md": page("Y"),
    }
    built = build_site(tmp_path, files)
    html, label = built.text("docs/guide/x.html"), "Rocket <2> %{none}"
    assert labels(html) == ["Of site", "Y", "Rocket &lt;2&gt; %{none}", "X"]
    assert f'"name":"{label}"' in html.replace("\\u003c", "<").replace("\\u003e", ">")
    assert built.twin("docs/guide/index.md").startswith("# Rocket \\<2> %{none}\n")
    assert f"## {label}" in built.text("llms.txt").replace("\\", "")
    assert "%{product}" not in "".join(built.text(path) for path in built.output.paths if "search" in path)


def test_previous_and_next_follow_the_reading_order(tmp_path: Path) -> None:
    files = {
        "docs/a.md": page("A", sidebar_position=1),
        "docs/g/index.md": page("G", sidebar_position=2),
        "docs/g/b.md": page("B"),
        "docs/z.md": page("Z", sidebar_position=3),
    }
    built = build_site(tmp_path, {"site.yml": "title: T\n", **files})
    order = ["docs/a", "docs/g/index", "docs/g/b", "docs/z"]
    urls = ["/docs/a", "/docs/g/", "/docs/g/b", "/docs/z"]
    for n, path in enumerate(order):
        html = built.text(f"{path}.html")
        before, after = re.search(r'rel="prev"[^>]*', html), re.search(r'rel="next"[^>]*', html)
        assert (before is None) == (n == 0), path
        assert (after is None) == (n == len(order) - 1), path
        if before:
            assert f'href="{urls[n - 1]}"' in html
        if after:
            assert f'href="{urls[n + 1]}"' in html


def test_drafts_are_nowhere_in_a_build(tmp_path: Path) -> None:
    files = {
        "site.yml": "title: T\nurl: https://x.example\n",
        "docs/a.md": page("A"),
        "docs/secret.md": page("Secretive", draft="true"),
        "docs/hidden/only.md": page("Secretive too", draft="true"),
    }
    built = build_site(tmp_path, files)
    for path in built.output.written:
        assert "ecret" not in path
        assert b"ecretive" not in built.output.written[path], path
    assert "docs/hidden/index.html" not in built.output.paths


def test_a_preview_shows_drafts_with_a_marker(tmp_path: Path) -> None:
    files = {"site.yml": "title: T\n", "docs/a.md": page("A"), "docs/b.md": page("B", draft="true")}
    built = build_site(tmp_path, files, Options(drafts=True))
    assert 'class="tp-draft"' in sidebar(built.text("docs/a.html"))
    assert "noindex" in built.text("docs/b.html")


def test_a_large_site_shows_the_branch_and_links_to_the_rest(tmp_path: Path) -> None:
    files = {f"docs/c{c:02}/p{p:02}.md": page(f"Page {c} {p}") for c in range(16) for p in range(20)}
    html = sidebar(build_site(tmp_path, {"site.yml": "title: T\n", **files}).text("docs/c03/p07.html"))
    assert html.count("<li") == 16 + 20
    assert '<li class="tp-more"><a href="/docs/c09/">' in html
    assert '<a href="/docs/c03/p07" aria-current="page">' in html


def test_a_sidebar_shows_at_most_a_window_of_siblings(tmp_path: Path) -> None:
    files = {f"docs/c/p{p:03}.md": page(f"Page {p:03}") for p in range(320)}
    html = sidebar(build_site(tmp_path, {"site.yml": "title: T\n", **files}).text("docs/c/p250.html"))
    shown = re.findall(r"/docs/c/p(\d+)\"", html)
    assert len(shown) == 200
    assert "250" in shown
    assert '<li class="tp-all"><a href="/docs/c/">' in html


def test_of_many_folders_the_one_of_the_page_is_open(tmp_path: Path) -> None:
    """A page and a folder may have the same path."""
    files = {f"docs/c{c:03}/{name}.md": page(f"Page {c:03}") for c in range(220) for name in "pq"}
    files["docs/c130.md"] = page("Beside")
    output = build_site(tmp_path, {"site.yml": "title: T\n", **files})
    for path, number in (("docs/c130/p", 130), ("docs/c219/p", 219), ("docs/c000/p", 0)):
        html = sidebar(output.text(f"{path}.html"))
        assert f'<a href="/{path}" aria-current="page">' in html
        assert html.count("<details open>") == 1
        assert f'<a href="/docs/c{number:03}/">' in html
    beside = sidebar(output.text("docs/c130.html"))
    assert '<a href="/docs/c130" aria-current="page">' in beside
    assert "<details open>" not in beside
