"""The line with `llms.txt` that each page and each twin begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sites import build_site

SITES = [
    ("title: T\nurl: https://t.example\n", "/llms.txt", "https://t.example/llms.txt"),
    ("title: T\nurl: https://t.example/repo\n", "/repo/llms.txt", "https://t.example/repo/llms.txt"),
    ("title: T\n", "/llms.txt", "/llms.txt"),
]
FILES = {
    "docs/a.md": "# A\n\n[b](/docs/b)\n",
    "docs/b.mdx": "# B\n",
    "docs/b.llms.md": "> Of the *owner*.\n",
    "docs/c/d.md": "# D\n",
    "pages/about.md": "# About\n",
}
TWINS = ("docs/a", "docs/b", "docs/c/d", "docs/c/index", "docs/index", "about", "index")


@pytest.mark.parametrize(("settings", "href", "address"), SITES)
def test_each_page_and_each_twin_begins_with_the_way_to_all_pages(
    tmp_path: Path, settings: str, href: str, address: str
) -> None:
    built = build_site(tmp_path, {**FILES, "site.yml": settings})
    line = f"> For AI agents: [llms.txt]({address}) lists all pages of this site as Markdown.\n\n"
    link = f'For AI agents: <a href="{href}" tabindex="-1">llms.txt</a> lists all pages'
    for path in TWINS:
        assert built.text(f"{path}.md").startswith(line)
        assert built.text(f"{path}.md").count("For AI agents") == 1
        assert built.text(f"llms/{path}.md") == built.text(f"{path}.md")
        html = built.text(f"{path}.html")
        assert html.index(link) < html.index("<main")
    assert link in built.text("404.html")
    assert built.twin("docs/b.md") == "> Of the *owner*.\n"


def test_the_line_is_in_no_list_and_in_no_search(tmp_path: Path) -> None:
    built = build_site(tmp_path, {**FILES, "site.yml": SITES[0][0]})
    for path in built.output.paths:
        if path.endswith((".txt", ".json")):
            assert "For AI agents" not in built.text(path)


def test_the_line_is_in_the_sites_language_and_is_text(tmp_path: Path) -> None:
    files = {**FILES, "site.yml": "title: T\nlanguage: de\n"}
    assert built_line(tmp_path / "de", files).startswith("> Für KI-Agenten: [llms.txt](/llms.txt) nennt")
    files["site.yml"] = "title: T\nwords:\n  for_agents: '<b>*all*</b>: {} [x](y)'\n"
    assert built_line(tmp_path / "own", files) == "> \\<b>\\*all\\*\\</b>: [llms.txt](/llms.txt) \\[x\\](y)"


def built_line(folder: Path, files: dict[str, str]) -> str:
    """The first line of a twin."""
    return build_site(folder, files).text("docs/a.md").partition("\n")[0]
