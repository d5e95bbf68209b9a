"""Sites and folders with nothing to show yet: what stands at `/`, and what the author is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.build import build as build_folder
from builder.errors import ConfigError
from builder.output import MemoryOutput
from builder.plan.options import Options
from tests.sites import Files, build_site

SITE = "title: Harbour\nurl: https://docs.example\n"


def test_the_home_page_lists_standalone_pages_when_there_is_nothing_else(tmp_path: Path) -> None:
    about = "---\ntitle: About us\ndescription: Who we are.\n---\nText.\n"
    files = {
        "site.yml": SITE,
        "pages/about.md": about,
        "pages/licence.md": "# Licence\n",
        "pages/404.md": "Gone.\n",
    }
    built = build_site(tmp_path, files)
    assert built.codes == []
    home = built.text("index.html")
    assert "<h1>Harbour</h1>" in home
    assert '<li><a href="/about">About us</a><p>Who we are.</p></li>' in home
    assert '<a href="/licence">Licence</a>' in home
    assert "404" not in home.split("<article", 1)[1].split("</article>", 1)[0]
    assert "- [About us](https://docs.example/about): Who we are." in built.text("index.md")
    assert "<loc>https://docs.example/</loc>" in built.text("sitemap.xml")


EMPTY: list[tuple[Files, str]] = [
    ({"site.yml": SITE}, "docs/index.md"),
    ({"site.yml": SITE, "static/logo.svg": "<svg/>"}, "docs/index.md"),
    ({"docs/README.txt": "x"}, "docs/index.md"),
    ({"site.yml": SITE, "docs/a.md": "---\ndraft: true\n---\n"}, "draft: false"),
]


@pytest.mark.parametrize(("files", "hint"), EMPTY)
def test_a_site_without_any_page_is_told(tmp_path: Path, files: Files, hint: str) -> None:
    built = build_site(tmp_path, files)
    (found,) = built.diagnostics
    assert (found.code, found.file, found.line, found.level) == ("site-empty", "site.yml", 0, "warning")
    assert hint in found.hint
    assert "<h1>" in built.text("index.html")


def test_drafts_that_are_shown_are_pages(tmp_path: Path) -> None:
    files = {"site.yml": SITE, "docs/a.md": "---\ndraft: true\n---\n"}
    assert build_site(tmp_path, files, Options(drafts=True)).codes == []


FOLDERS: list[tuple[Files, list[str]]] = [
    ({"docs/soon/_category_.yml": "label: Soon\n"}, ["docs/soon/_category_.yml"]),
    ({"docs/soon/_category_.json": "{}", "docs/soon/plan.png": "x"}, ["docs/soon/_category_.json"]),
    (
        {"docs/b/_category_.yml": "", "docs/b/c/_category_.yml": ""},
        ["docs/b/_category_.yml", "docs/b/c/_category_.yml"],
    ),
    ({"docs/b/_category_.yml": "", "docs/b/c/d.md": "Text."}, []),
    ({"docs/_category_.yml": "label: All\n"}, []),
    ({"docs/drafts/_category_.yml": "", "docs/drafts/a.md": "---\ndraft: true\n---\n"}, []),
]


@pytest.mark.parametrize(("files", "told"), FOLDERS)
def test_a_category_without_pages_is_told(tmp_path: Path, files: Files, told: list[str]) -> None:
    built = build_site(tmp_path, {"site.yml": SITE, "docs/a.md": "Text.\n", **files})
    assert [(found.code, found.file) for found in built.diagnostics] == [
        ("category-empty", file) for file in told
    ]
    assert {found.level for found in built.diagnostics} <= {"info"}


def test_a_folder_that_is_no_site_is_told_all_that_would_make_it_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as fault:
        build_folder(tmp_path, MemoryOutput())
    assert all(name in fault.value.message for name in ("`site.yml`", "`docs`", "`pages`"))
