"""Files of a site of MkDocs: which are pages, at which addresses, in which languages; posts of blogs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.importer.page_work import Choices
from tests.builder.importer.imported import imported

LANGUAGES = "plugins: [{i18n: {%slanguages: [{locale: en, default: true}, {locale: de}, {locale: fr}]}}]\n"

PLACES: list[tuple[str, str, Mapping[str, str], tuple[str, ...], dict[str, str]]] = [
    (
        "left out by the configuration",
        "exclude_docs: |\n  # drafts\n  *.draft.md\n  /old/\n  !keep.draft.md\n",
        {
            "a.draft.md": "",
            "keep.draft.md": "",
            "old/b.md": "",
            "c/old/d.md": "",
            ".x/e.md": "",
            "templates/f.md": "",
        },
        (),
        {"index.md": "/", "keep.draft.md": "/keep.draft", "c/old/d.md": "/c/old/d"},
    ),
    (
        "left out by the plugin",
        "plugins: [{exclude: {glob: [drafts/*]}}]\n",
        {"drafts/a.md": "", "b.md": ""},
        (),
        {"index.md": "/", "b.md": "/b"},
    ),
    ("a README beside an index", "", {"README.md": ""}, (), {"index.md": "/"}),
    (
        "without folders",
        "use_directory_urls: false\n",
        {"a/b.md": ""},
        (),
        {"index.md": "/", "a/b.md": "/a/b"},
    ),
    (
        "languages by ending",
        LANGUAGES % "",
        {"index.de.md": "", "a.md": "", "a.fr.md": "", "b.en.md": ""},
        ("de",),
        {"index.md": "/", "index.de.md": "/de/", "a.md": "/a", "b.en.md": "/b"},
    ),
    (
        "languages by folder",
        LANGUAGES % "docs_structure: folder, ",
        {"en/a.md": "", "de/a.md": "", "fr/a.md": ""},
        ("all",),
        {"index.md": "/", "en/a.md": "/a", "de/a.md": "/de/a", "fr/a.md": "/fr/a"},
    ),
    (
        "posts",
        "plugins: [{material/blog: {post_url_format: '{date}/{categories}/{slug}'}}]\n",
        {
            "blog/index.md": "# News\n",
            "blog/.authors.yml": "authors: {ann: {name: Ann B}}\n",
            "blog/posts/x.md": (
                "---\ndate: 2024-03-05\nauthors: [ann]\ncategories: [A b]\n---\n# Big `news`!\n\nText.\n"
            ),
            "blog/posts/y.md": "---\ndate: {created: 2023-01-02}\nslug: own\n---\nText.\n",
            "blog/posts/z.md": "---\ndraft: true\ndate: 2024-01-01\n---\nText.\n",
        },
        (),
        {
            "index.md": "/",
            "blog/index.md": "/blog/",
            "blog/posts/x.md": "/blog/2024/03/05/a-b/big-news",
            "blog/posts/y.md": "/blog/2023/01/02/own",
        },
    ),
]


@pytest.mark.parametrize(
    ("config", "files", "locales", "expected"),
    [each[1:] for each in PLACES],
    ids=[each[0] for each in PLACES],
)
def test_pages_are_where_they_were(
    tmp_path: Path, config: str, files: Mapping[str, str], locales: tuple[str, ...], expected: dict[str, str]
) -> None:
    docs = {f"docs/{name}": text or "# T\n" for name, text in {"index.md": "", **files}.items()}
    given = {"mkdocs.yml": f"site_name: A\n{config}", **docs}
    new = imported(tmp_path, "mkdocs", given, choices=Choices((), locales))
    found = {file.removeprefix("docs/"): page.url for file, page in new.placed.pages.items()}
    assert {file: url.rstrip("/") or "/" for file, url in found.items()} == {
        file: url.rstrip("/") or "/" for file, url in expected.items()
    }


def test_posts_have_their_day_and_the_blog_lists_them(tmp_path: Path) -> None:
    name, config, files, *_ = PLACES[-1]
    docs = {f"docs/{each}": text for each, text in {"index.md": "# T\n", **files}.items()}
    new = imported(tmp_path, "mkdocs", {"mkdocs.yml": f"site_name: A\n{config}", **docs})
    assert "# Big `news`!\n\n*2024-03-05, Ann B*\n\nText." in new.texts["docs/blog/posts/x.md"]
    assert (
        "- [Big news!](posts/x.md), 2024-03-05\n- [y](posts/y.md), 2023-01-02\n"
        in new.texts["docs/blog/index.md"]
    )
    assert "/blog/category/a-b" in new.texts["site.yml"]
    assert "/blog/archive/2023" in new.texts["site.yml"]
    assert {loss.what for loss in new.losses} == {"draft of a post"}, name


def test_pages_in_other_languages_lead_to_those_that_are_there(tmp_path: Path) -> None:
    docs = {"docs/index.md": "# T\n", "docs/index.de.md": "# T\n", "docs/a.de.md": "# A\n"}
    new = imported(tmp_path, "mkdocs", {"mkdocs.yml": f"site_name: A\n{LANGUAGES % ''}", **docs})
    assert "redirects:\n  /de/: /\n" in new.texts["site.yml"]
    assert [loss.old for loss in new.losses] == ["de: /de/a/", "de: /de/"]


def test_zensical_has_its_configuration_in_toml(tmp_path: Path) -> None:
    config = (
        '[project]\nsite_name = "Z"\nnav = [{ "Home" = "index.md" }, { "G" = ["a.md"] }]\n'
        "[project.markdown_extensions.pymdownx.snippets]\n"
        'base_path = ["parts"]\n[project.markdown_extensions.toc]\n'
    )
    files = {
        "zensical.toml": config,
        "docs/index.md": '--8<-- "p.md"\n',
        "docs/a.md": "# A\n",
        "parts/p.md": "Part.\n",
    }
    new = imported(tmp_path, "mkdocs", files)
    assert new.texts["docs/index.md"].endswith("\n\nPart.\n")
    assert new.texts["sidebar.yml"] == "- page: docs/index\n  label: Home\n- label: G\n  items:\n  - docs/a\n"


def test_navigation_may_lead_to_other_sites_of_the_host(tmp_path: Path) -> None:
    config = "site_name: A\nnav: [index.md, {Languages: [{de: /de/}, {Here: /a/}]}]\n"
    new = imported(tmp_path, "mkdocs", {"mkdocs.yml": config, "docs/index.md": "# T\n", "docs/a.md": "# A\n"})
    assert "served_elsewhere:\n- /de\n" in new.texts["site.yml"]


def test_link_by_address_leads_to_the_file(tmp_path: Path) -> None:
    docs = {"docs/index.md": "# T\n", "docs/g/a.md": "# A\n\n[b](../b/#x)\n", "docs/g/b.md": "# B\n"}
    new = imported(tmp_path, "mkdocs", {"mkdocs.yml": "site_name: A\n", **docs})
    assert new.texts["docs/g/a.md"] == "# A\n\n[b](./b.md#x)\n"
