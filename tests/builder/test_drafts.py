"""A page that its author did not mean to publish is kept out, also when the marker is written wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder import frontmatter
from tests.sites import build_site

HIDDEN = [
    "---\ndraft: true\n---\n",
    '---\ndraft: "true"\n---\n',
    "---\ndraft: yes please\n---\n",
    "---\nDraft: true\n---\n",
    "---\ntitle: Secret: plan\ndraft: true\n---\n",
    "---\ntitle: [\ndraft: 'true' # later\n---\n",
    "\n---\ndraft: true\n---\n",
    "\r\n \r\n---\r\ntitle: x\r\ndraft: true\r\n---\r\n",
    "---\ndraft: 1\n---\n",
]
SHOWN = [
    "---\ndraft: false\n---\n",
    "---\ndraft: 'false'\n---\n",
    "---\ndraft:\n---\n",
    "---\ntitle: a: b\ndraft: false\n---\n",
    "---\ntitle: a: b\ndraft: no # really\n---\n",
    "---\ntitle: a: b\n---\n",
    "text\n\n---\ndraft: true\n---\n",
]


@pytest.mark.parametrize("head", HIDDEN)
def test_a_page_that_seems_to_be_a_draft_is_not_published(tmp_path: Path, head: str) -> None:
    files = {"site.yml": "title: T\n", "docs/a.md": head + "secretive\n", "docs/b.md": "open\n"}
    built = build_site(tmp_path, files)
    assert not any(b"secretive" in data for data in built.output.written.values())
    assert bool(built.codes) is (head != HIDDEN[0])  # whoever hides a page by mistake is told


@pytest.mark.parametrize("head", SHOWN)
def test_a_page_that_is_no_draft_is_published(tmp_path: Path, head: str) -> None:
    built = build_site(tmp_path, {"site.yml": "title: T\n", "docs/a.md": head + "public\n"})
    assert "public" in built.text("docs/a.html")


def test_frontmatter_after_empty_lines_is_an_error_at_its_place() -> None:
    document = frontmatter.split("\n\n---\ntitle: A\n---\ntext\n", "docs/a.md")
    assert [(found.code, found.line) for found in document.diagnostics] == [("frontmatter-invalid", 3)]
    assert document.body == "\n\n---\ntitle: A\n---\ntext\n"
