"""Links in hand-written twins are checked as those in pages are, and nothing else in them is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.plan.options import Options
from tests.sites import build_site

SITE = "title: T\nurl: https://docs.example.com\n"
FILES = {
    "site.yml": SITE,
    "docs/guide/a.mdx": "---\ntitle: A\n---\n\n## Own\n",
    "docs/guide/b.md": "# B\n\n## Part\n",
    "docs/guide/plan.png": b"png",
    "docs/draft.md": "---\ndraft: true\n---\n",
}
TWIN = "docs/guide/a.llms.md"

FAULTS = [
    ("# A\n\n[b](/docs/nowhere)\n", (3, 5, "broken-link")),
    ("see <https://docs.example.com/docs/guide/c>\n", (1, 6, "broken-link")),
    ("[b](b#prat)\n", (1, 5, "broken-anchor")),
    ("[b](b.md#prat)\n", (1, 5, "broken-anchor")),
    ("[x](#elsewhere)\n", (1, 5, "broken-anchor")),
    ("- ![plan](plam.png)\n", (1, 11, "broken-image")),
    ("[d](../draft.md)\n", (1, 5, "link-draft")),
    ("[b][1]\n\n[1]: /docs/guide/x\n", (3, 6, "broken-link")),
    ("<a href='/docs/x'>x</a>\n", (1, 10, "broken-link")),
]
GOOD = [
    "[b](b) [b](./b.md) [b](b.mdx) [b](/docs/guide/b.md#part) [b](/llms/docs/guide/b.md)\n",
    "[b](/docs/guide/b.html)\n",
    "[own heading](#words-for-programs) [the page's](#own)\n\n# Words for programs\n",
    "![plan](plan.png) ![plan](https://docs.example.com/docs/guide/plan.png) [site](https://example.com/x)\n",
    "`[b](/docs/nowhere)`\n\n```md\n[b](/docs/nowhere)\n![b](nowhere.png)\n```\n\n    [b](/docs/nowhere)\n",
    "<Card>a {b} :::note\n<!-- [b](/docs/nowhere) -->\n[app](vscode://open) [all](/llms.txt)\n",
]


@pytest.mark.parametrize(("twin", "found"), FAULTS)
def test_a_broken_link_in_a_twin_is_told_with_its_place(
    tmp_path: Path, twin: str, found: tuple[int, int, str]
) -> None:
    built = build_site(tmp_path, {**FILES, TWIN: twin})
    (told,) = built.diagnostics
    assert (told.file, told.line, told.column, told.code) == (TWIN, *found)
    assert built.twin("docs/guide/a.md") == twin


@pytest.mark.parametrize("twin", GOOD)
def test_a_twin_with_good_links_has_no_diagnostic(tmp_path: Path, twin: str) -> None:
    assert build_site(tmp_path, {**FILES, TWIN: twin}).diagnostics == ()


def test_a_heading_that_only_another_twin_has_may_be_linked_from_a_twin_alone(tmp_path: Path) -> None:
    link = "[b](./b.md#only-for-programs)\n"
    files = {**FILES, "docs/guide/b.llms.md": "# B\n\n## Only for programs\n", TWIN: link}
    assert build_site(tmp_path, files).codes == []
    files["docs/guide/c.md"] = link
    assert [told.file for told in build_site(tmp_path, files).diagnostics] == ["docs/guide/c.md"]


def test_the_twin_of_a_draft_is_checked_where_the_draft_is_shown(tmp_path: Path) -> None:
    files = {**FILES, "docs/draft.llms.md": "[x](/docs/nowhere)\n"}
    assert build_site(tmp_path, files).codes == []
    shown = build_site(tmp_path, files, Options(drafts=True))
    assert [(told.file, told.code) for told in shown.diagnostics] == [("docs/draft.llms.md", "broken-link")]
