"""Pages that lie elsewhere than their content paths say: `docs_at`, `trailing_slash`, and slugs."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.plan.options import Options
from builder.preview.preview import Preview
from tests.sites import build_site

URL = "url: https://o.example/r\n"
LINKS = (
    "[a](b.md) [b](/docs/guide/b) [c](/guide/b) [d](/guide/b.md)"
    " [e](../index.md) ![p](pic.png) [g](/docs/guide/)\n"
)
SITE: dict[str, str | bytes] = {
    "docs/index.md": "---\ntitle: Home\n---\nHome.\n",
    "docs/guide/a.md": f"---\ntitle: A\n---\n{LINKS}",
    "docs/guide/b.md": "---\ntitle: B\n---\nB.\n",
    "docs/guide/pic.png": b"x",
    "pages/about.md": "---\ntitle: About\n---\n[b](/guide/b)\n",
}


def test_documentation_at_the_root_leaves_docs_out_of_every_address(tmp_path: Path) -> None:
    site = build_site(tmp_path, {"site.yml": f"title: T\n{URL}docs_at: /\n", **SITE})
    assert [found for found in site.diagnostics if found.level == "error"] == []
    assert not any("docs/" in path for path in site.output.paths)
    page = site.text("guide/a.html")
    assert page.count('href="/r/guide/b"') >= 3
    assert 'href="/r/guide/b.md"' not in page.partition("tp-prose")[2].partition("</article>")[0]
    assert 'src="/r/guide/pic.png"' in page
    assert 'href="/r/guide/"' in page
    for name in ("llms.txt", "llms-full.txt", "sitemap.xml", "_tp/urls.txt", "guide/a.md", "llms/guide/a.md"):
        assert "docs/" not in site.text(name), name
    assert "https://o.example/r/guide/b<" in site.text("sitemap.xml")
    assert site.text("index.html").count("<h1>Home</h1>") == 1


@pytest.mark.parametrize("name", ["index", "index.md", "index.html"])
@pytest.mark.parametrize("folder", ["guide", "made", "docs/guide", "docs/made"])
def test_the_page_of_a_folder_is_named_by_its_files_too(tmp_path: Path, folder: str, name: str) -> None:
    own = {"docs/guide/index.md": "Own.\n", "docs/made/a.md": "A.\n"}
    start = {"docs/index.md": f"[to](/{folder}/{name})\n"}
    site = build_site(tmp_path, {"site.yml": f"title: T\n{URL}docs_at: /\n", **SITE, **own, **start})
    assert site.diagnostics == ()
    assert f'href="/r/{folder.removeprefix("docs/")}/"' in site.text("index.html").partition("tp-prose")[2]


def test_a_page_may_stand_where_the_list_of_its_folder_would(tmp_path: Path) -> None:
    page = "---\ntitle: All of it\nslug: index\n---\nOwn text. [up](/guide/)\n"
    config = {"site.yml": f"title: T\n{URL}docs_at: /\nextras: [slug]\n"}
    site = build_site(tmp_path, {**config, **SITE, "docs/guide/start.md": page})
    assert site.diagnostics == ()
    assert "Own text." in site.text("guide/index.html")
    assert 'href="/r/guide/"' in site.text("guide/a.html")
    assert site.text("sitemap.xml").count("https://o.example/r/guide/<") == 1


@pytest.mark.parametrize(
    ("config", "files", "code"),
    [
        ("docs_at: /", {"docs/about.md": "A", "pages/about.md": "B"}, "path-conflict"),
        ("docs_at: /", {"docs/llms.md": "A", "pages/x.md": "B"}, "path-conflict"),
        ("docs_at: /", {"docs/api/v1/x.md": "A", "pages/x.md": "B"}, "path-conflict"),
        ("docs_at: /", {"docs/index.md": "A", "pages/index.md": "B"}, "path-conflict"),
        ("docs_at: /_tp", {"docs/x.md": "A"}, "config-invalid"),
        ("docs_at: /api", {"docs/x.md": "A"}, "config-invalid"),
        ("docs_at: /llms/en", {"docs/x.md": "A"}, "config-invalid"),
        ("docs_at: /.well-known/mcp", {"docs/x.md": "A"}, "config-invalid"),
        ("docs_at: /../x", {"docs/x.md": "A"}, "config-invalid"),
        ("extras: [slug]", {"docs/x.md": "---\nslug: /_tp/x\n---\n"}, "frontmatter-type"),
        ("extras: [slug]", {"docs/x.md": "---\nslug: ../x\n---\n"}, "frontmatter-type"),
        ("extras: [slug]", {"docs/x.md": "---\nslug: //evil.example\n---\n"}, "frontmatter-type"),
        ("extras: [slug]", {"docs/x.md": "---\nslug: /api/v1/x\n---\n"}, "frontmatter-type"),
        ("extras: [slug]", {"docs/x.md": "---\nslug: [1]\n---\n"}, "frontmatter-type"),
        ("extras: [slug]", {"docs/x.md": "---\nslug: y\n---\n", "docs/y.md": "B"}, "path-conflict"),
        ("extras: []", {"docs/x.md": "---\nslug: y\n---\n"}, "frontmatter-address"),
        ("trailing_slash: true", {"docs/x.md": "A", "docs/x/index.md": "B"}, "path-conflict"),
    ],
)
def test_what_would_lie_where_something_else_answers_is_told(
    tmp_path: Path, config: str, files: dict[str, str], code: str
) -> None:
    site = build_site(tmp_path, {"site.yml": f"title: T\n{config}\n", **files})
    assert site.codes.count(code) == 1, site.diagnostics


@pytest.mark.parametrize(("docs_at", "docs"), [("/docs", "docs/"), ("/", "")])
def test_addresses_may_end_with_a_slash(tmp_path: Path, docs_at: str, docs: str) -> None:
    links = "[a](b.md) [b](/docs/guide/b) [d](../guide/b.md#b) ![p](pic.png) [g](/docs/guide/)\n"
    config = f"title: T\n{URL}docs_at: {docs_at}\ntrailing_slash: true\nredirects: {{/old/: /docs/guide/b}}\n"
    page = {
        "docs/guide/a.md": f"---\ntitle: A\n---\n{links}",
        "docs/guide/b.md": "# B\n",
        "pages/about.md": "A\n",
    }
    site = build_site(tmp_path, {"site.yml": config, **SITE, **page})
    assert [found for found in site.diagnostics if found.level == "error"] == []
    html = site.text(f"{docs}guide/a/index.html")
    assert html.partition("tp-prose")[2].count(f'href="/r/{docs}guide/b/') >= 3
    assert f'src="/r/{docs}guide/pic.png"' in html
    assert f'<link rel="canonical" href="https://o.example/r/{docs}guide/a/">' in html
    assert f"https://o.example/r/{docs}guide/a/<" in site.text("sitemap.xml")
    assert f"/r/{docs}guide/b/" in site.text("old/index.html")
    assert "about/index.html" in site.output.paths
    assert "404.html" in site.output.paths
    assert f"{docs}guide/b/index.md" in site.output.paths


def test_slugs_count_from_the_folder_or_from_the_root(tmp_path: Path) -> None:
    site = build_site(
        tmp_path,
        {
            "site.yml": f"title: T\n{URL}extras: [slug]\n",
            "docs/g/a.md": "---\ntitle: A\nslug: first\n---\n[b](b.md) [b](/new/place) [self](#top)\n",
            "docs/g/b.mdx": "---\ntitle: B\nslug: /new/place\n---\n[a](a.md) [a](/docs/g/first)\n",
            "docs/g/c/index.md": "---\ntitle: C\nslug: /c/\n---\nC\n",
        },
    )
    assert site.diagnostics == ()
    assert {"docs/g/first.html", "new/place.html", "new/place.md", "llms/new/place.md", "c/index.html"} <= (
        site.output.paths
    )
    assert site.text("docs/g/first.html").count('href="/r/new/place"') >= 3
    assert 'href="/r/c/"' in site.text("new/place.html")
    assert "/new/place\n" in site.text("_tp/urls.txt")


def test_the_preview_follows(tmp_path: Path) -> None:
    site = {"site.yml": "title: T\ndocs_at: /handbook\nextras: [slug]\n", **SITE}
    built = build_site(tmp_path, {**site, "docs/guide/b.md": "---\ntitle: B\nslug: /b\n---\nB.\n"})
    preview = Preview(tmp_path, Options())
    preview.update()
    paths = set(preview.places)
    twin = preview.get("b.md")
    assert isinstance(twin, bytes)
    assert b"B." in twin
    preview.close()
    assert {"handbook/guide/a.html", "b.html", "b.md", "handbook/guide/index.html"} <= paths
    built_paths = built.output.paths
    assert built_paths - paths <= {path for path in built_paths if path.startswith("_tp/")}


def test_titles_are_what_extras_make_of_headings(tmp_path: Path) -> None:
    site = build_site(
        tmp_path,
        {
            "site.yml": f"title: T\n{URL}extras: [keys, math, includes]\n",
            "docs/a.mdx": "# Save with ++ctrl+s++\n\nText.\n",
            "docs/b.mdx": "# Energy $E = mc^2$\n\n[](a.mdx)\n",
            "docs/c.mdx": '<Include src="_part.mdx" />\n',
            "docs/_part.mdx": "# Press ++f1++\n",
            "docs/d.mdx": "---\ntitle: C++ and ++x++\n---\nText.\n",
        },
    )
    assert "<title>Save with Ctrl+S" in site.text("docs/a.html")
    for name in ("docs/a.html", "llms.txt", "_tp/urls.txt"):
        assert "++ctrl" not in site.text(name), name
    assert "Energy E = mc^2" in site.text("llms.txt")
    assert "Press F1" in site.text("llms.txt")
    assert "C++ and ++x++" in site.text("llms.txt")
