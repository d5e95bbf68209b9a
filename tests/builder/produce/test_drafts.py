"""A page that its author did not mean to publish is kept out, also when the marker is written wrongly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from builder import frontmatter
from builder.build import build
from builder.output import FolderOutput
from builder.plan.options import Options
from tests.sites import Files, build_site, write_site

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
    "---\ndraft: true\ndraft: false\n---\n",
    "---\ndraft: 'yes'\ntitle: x\ndraft: false\n---\n",
    "---\n{draft: true, title: x, draft: false}\n---\n",
    "---\n\tdraft: true\n---\n",
    "---\ntitle: x\n \u00a0draft: true\n  - y\n---\n",
    "---\r\ttitle: x\r\tdraft: true\r---\r",
    "---\ntitle: [\n  draft: true\n---\n",
    "---\n{draft: true, title: [}\n---\n",
    "---\ntitle: [\n'draft': true\n---\n",
    "---\ncustom:x\ndraft:true\n---\n",
    "---\ntitle: x: y\ndraft = true\n---\n",
    "---\ndraft: true\n\n",
    "---\ntitle: x\ndraft: true\n# Heading\n",
    "---\ncustom: x\n\n\tdraft: true\n----\n",
    "\n---\n\tdraft: true\n---\n",
    "\n---\ntitle: x\ndraft: true\n...\n",
    "---\ndraft: !yes true\n---\n",
    "---\ndraft: 2024-13-45\n---\n",
    "---\nDraft: .nan\n---\n",
    "---\ndraft: 99999999999999999999999999\n---\n",
    "---\ndraft: &yes\n---\n",
    "---\n<<: {draft: .nan}\n---\n",
    "---\ndraft: [.nan]\n---\n",
]
SHOWN = [
    "---\ndraft: false\n---\n",
    "---\ndraft: 'false'\n---\n",
    "---\ndraft:\n---\n",
    "---\ntitle: a: b\ndraft: false\n---\n",
    "---\ntitle: a: b\ndraft: no # really\n---\n",
    "---\ntitle: a: b\n---\n",
    "text\n\n---\ndraft: true\n---\n",
    "---\ndraft: false\ndraft: false\n---\n",
    "---\n\tdraft: 'no' # yet\n---\n",
    "---\n{draft: false, title: [}\n---\n",
    "---\ntitle: x\ndraft: false\n",
    "---\n\nThe line\n\n```yaml\ndraft: true\n```\n\n",
    "---\ntitle: x\n\n```yaml\ndraft: true\n```\n\n",
    "---\ntitle: a: b\nfirst_draft: true\n---\n",
    "---\n\nA draft: text\n\n---\n",
    "---\ndraft: &no false\n---\n",
    "---\nother: {draft: .nan}\n---\n",
]


@pytest.mark.parametrize("head", HIDDEN)
def test_a_page_that_seems_to_be_a_draft_is_not_published(tmp_path: Path, head: str) -> None:
    files = {"site.yml": "title: T\n", "docs/a.md": head + "secretive\n", "docs/b.md": "open\n"}
    built = build_site(tmp_path, files)
    assert not any(b"secretive" in data for data in built.output.written.values())
    by_mistake = [found for found in built.diagnostics if "a build leaves this page out" in found.message]
    assert len(by_mistake) == (head != HIDDEN[0])  # whoever hides a page by mistake is told


@pytest.mark.parametrize("head", SHOWN)
def test_a_page_that_is_no_draft_is_published(tmp_path: Path, head: str) -> None:
    built = build_site(tmp_path, {"site.yml": "title: T\n", "docs/a.md": head + "public\n"})
    assert "public" in built.text("docs/a.html")
    assert not any("leaves this page out" in found.message for found in built.diagnostics)


@pytest.mark.parametrize("value", ['"true"', "yes please", "1", "'false'", ".nan", "!yes true"])
def test_a_wrong_value_of_draft_is_told_with_both_right_ones(value: str) -> None:
    (found,) = frontmatter.split(f"---\ndraft: {value}\n---\n", "docs/a.md").diagnostics
    assert (found.code, found.line) == ("frontmatter-type", 2)
    assert found.hint == "write `draft: true` to keep the page out, `draft: false` to publish it"


def test_frontmatter_after_empty_lines_is_an_error_at_its_place() -> None:
    document = frontmatter.split("\n\n---\ntitle: A\n---\ntext\n", "docs/a.md")
    assert [(found.code, found.line) for found in document.diagnostics] == [("frontmatter-invalid", 3)]
    assert document.body == "\n\n---\ntitle: A\n---\ntext\n"


_HEAD = "---\ntitle: {0}title\ndescription: {0}about\nsidebar_label: {0}label\ndraft: true\n---\n"
_DRAFT = (
    _HEAD + "# {0}heading\n\n{0}text ![{0}alt](/x.png)\n\n## {0}section\n\n[^1]: {0}note\n\n[a]: /{0}target\n"
)


def _draft(word: str) -> str:
    return _DRAFT.format(word)


SECRET: Files = {
    "docs/a/between.mdx": _draft("hushmiddle"),
    "docs/a/between.llms.md": "hushtwin",
    "docs/b/index.md": _draft("hushindex"),
    "docs/b/_category_.yml": "position: 2\n",
    "docs/only-drafts/c/d.md": _draft("hushfolder"),
    "docs/only-drafts/c/_category_.yml": "label: hushcategory\n",
    "docs/only-drafts/_category_.json": '{"label": "hushouter"}',
    "pages/index.md": _draft("hushhome"),
    "pages/404.md": _draft("hushlost"),
    "pages/other.mdx": _draft("hushpage"),
    "docs/untitled.md": "---\ndraft: true\n---\n# hushuntitled\n",
}
PUBLIC: Files = {
    "site.yml": (
        "title: T\nurl: https://o.example\nnav: [{label: Home, href: /}]\n"
        "redirects: {/old: /docs/a/between}\n"
    ),
    "docs/a/after.md": "[to a draft](between.mdx) [to its part](between.mdx#x) ![](/x.png)\n",
    "docs/a/before.md": "[to the section](/docs/b/) [to the home page](/)\n",
    "docs/b/shown.md": "Shown\n",
}


def _everything(folder: Path, options: Options) -> bytes:
    build(write_site(folder, {**PUBLIC, **SECRET}), FolderOutput(folder / "dist"), options)
    files = [path for path in (folder / "dist").rglob("*") if path.is_file()]
    return b"\n".join(str(path).encode() + b"\n" + path.read_bytes() for path in files)


def test_no_word_of_a_draft_is_in_any_file_of_a_build(tmp_path: Path) -> None:
    data = _everything(tmp_path, Options())
    assert re.findall(rb"\w*hush\w*", data) == []
    assert b"only-drafts" not in data
    assert b"Shown" in data


def test_the_preview_shows_these_words(tmp_path: Path) -> None:
    data = _everything(tmp_path, Options(drafts=True)).decode()
    words = re.findall(r"hush\w+(?:title|about|heading|text|section|twin|outer|category)", str(SECRET))
    assert len(words) > 30
    assert [word for word in words if word not in data] == []
