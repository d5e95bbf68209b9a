"""The look at a new site: which words went, and what its build leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.importer.lost_words import lost_words
from builder.importer.old_site import Loss, OldPage
from tests.builder.importer.imported import checked, write_origin

ALARMS: list[tuple[str, str, str, str]] = [
    ("a word with two colours", "```\na: 50rem\n```", "<code>a: <span>50</span><span>rem</span></code>", ""),
    ("the label of a footnote", "A[^note].\n\n[^note]: B.\n", "A<sup>1</sup>. B.", ""),
    ("a definition in a block", "!!! note\n    [X]\n\n    [X]: https://a.b/c\n", "<p>Note X</p>", ""),
    ("a box of a task", "- [x] Done\n", "<input checked> Done", ""),
    ("an icon", ":x: Bad\n", "❌ Bad", ""),
    ("a formula", "\\\\( \\int x dx \\\\)\n", "<math>∫xdx</math>", ""),
    ("options of docstrings", "::: a.b\n    options:\n      members: [c]\n\nText\n", "a.b Text", ""),
    ("the name of an icon", '<Icon name="rocket" />', "", ""),
    ("a word", "One two\n", "One", "two"),
    ("a word in code", "```\none two\n```", "one", "two"),
    ("one that was there twice", "One one\n", "One", "one"),
    ("the name of a parameter", '<ParamField name="id" />', "", "id"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "html", "gone"), [each[1:] for each in ALARMS], ids=[each[0] for each in ALARMS]
)
def test_words_that_went_are_told_and_no_others(source: str, html: str, gone: str) -> None:
    page = OldPage("a.md", "/a", "a", source, is_mdx="<" in source)
    found = lost_words(page, html, [Loss("docs", "a.md", 1, "a.b")])
    assert (found.old if found else "") == gone


def test_what_the_build_leaves_out_is_told_with_the_old_line(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: A\n",
        "docs/index.md": '---\ntitle: T\n---\n\n<form>\n<input name="x">\n</form>\n\nA <font>b</font>.\n',
    }
    root = write_origin(tmp_path / "old", files)
    losses = checked(tmp_path / "new", "mkdocs", root).report.losses
    assert [(each.what, each.line, each.old, each.state) for each in losses] == [
        ("left out: <form>", 5, "<form>", "lost"),
        ("left out: <input>", 6, '<input name="x">', "lost"),
        ("left out: <font>", 9, "A <font>b</font>.", "changed"),
    ]


def test_link_that_pages_may_not_have_is_told(tmp_path: Path) -> None:
    files = {"mkdocs.yml": "site_name: A\n", "docs/index.md": "# T\n\n[Install](cursor://mcp/install)\n"}
    losses = checked(tmp_path / "new", "mkdocs", write_origin(tmp_path / "old", files)).report.losses
    assert [(each.what, each.line, each.old) for each in losses] == [
        ("link that pages may not have", 3, "cursor://mcp/install")
    ]


def test_redirect_to_an_anchor_that_is_not_there_leads_to_its_page(tmp_path: Path) -> None:
    maps = "{old.md: 'a.md#there', gone.md: 'a.md#gone'}"
    files = {
        "mkdocs.yml": f"site_name: A\nplugins: [{{redirects: {{redirect_maps: {maps}}}}}]\n",
        "docs/index.md": "# T\n",
        "docs/a.md": "# A\n\n## There\n",
    }
    found = checked(tmp_path / "new", "mkdocs", write_origin(tmp_path / "old", files))
    assert [(loss.what, loss.old) for loss in found.report.losses] == [
        ("redirect to an anchor that is not there", "/gone/ -> /a/#gone")
    ]
    assert found.report.errors == ()
    settings = (tmp_path / "new/site.yml").read_text()
    assert "/old/: /a/#there" in settings
    assert "/gone/: /a/\n" in settings
