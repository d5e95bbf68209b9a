"""Strange names and strange texts through whole builds: each is told, and the rest of the site is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builder.beside import around, built_beside
from tests.sites import build_site, write_site

__all__ = ["around"]

NAMES = {
    "new\nline": "path-invalid",
    "right-\u202eleft": "path-invalid",
    "zero\u200bwidth": "path-invalid",
    "back\\slash": "path-invalid",
    "bell\x07": "path-invalid",
    "escape\x1b[31m": "path-invalid",
    "del\x7f": "path-invalid",
    "\udcff": "path-invalid",
}
PAGE_NAMES = NAMES | {
    "\U0001f680": "path-invalid",
    "x" * 200: "path-invalid",
    "\u00e9" * 90: "path-invalid",
    "<b>": "path-invalid",
    "a&b": "path-invalid",
    "a b": "path-invalid",
    "-a": "path-invalid",
    "con": "path-invalid",
    "\u212a": "path-invalid",
    "a.html": "path-invalid",
}


@pytest.mark.parametrize(("name", "code"), PAGE_NAMES.items(), ids=ascii)
def test_a_page_of_a_strange_name_is_named_and_left_out(around: Path, name: str, code: str) -> None:
    write_site(around / "site", {f"docs/{name}.md": "strange words"})
    built = built_beside(around)
    assert code in [each.code for each in built.diagnostics if each.file.startswith("docs/")]
    assert not any(b"strange words" in data for data in built.output.written.values())
    for each in built.diagnostics:
        each.file.encode()  # which fails for what is no text


@pytest.mark.parametrize(("name", "code"), NAMES.items(), ids=ascii)
def test_a_file_of_a_strange_name_is_named_and_left_out(around: Path, name: str, code: str) -> None:
    write_site(
        around / "site", {f"docs/{name}.png": b"x", f"static/{name}": b"x", f"docs/{name}/x.png": b"x"}
    )
    built = built_beside(around)
    assert built.output.copied == {}
    assert {code} == {each.code for each in built.diagnostics}


@pytest.mark.parametrize(
    "name", ["\U0001f680", "\u05d0\u05d1", "a b", "<b>&'\"", "x" * 200, "%2e%2e", "~"], ids=ascii
)
def test_a_file_of_an_unusual_name_is_copied(around: Path, name: str) -> None:
    write_site(around / "site", {f"docs/{name}.png": b"x"})
    assert built_beside(around).output.copied == {f"docs/{name}.png": f"docs/{name}.png"}


TEXTS = {
    "no UTF-8": (b"caf\xe9 and more", "page-encoding"),
    "UTF-16": ("\ufeffwide".encode("utf-16"), "page-encoding"),
    "NUL": (b"a\0b", "nul-character"),
    "more than a MiB": (b"x" * ((1 << 20) + 1), "page-too-large"),
    "noise": (bytes(range(256)) * 100, "page-encoding"),
    "half of a pair": (b"\xed\xa0\x80", "page-encoding"),
}


@pytest.mark.parametrize("file", ["docs/x.md", "docs/x.mdx", "docs/good.llms.md"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_page_that_is_no_text_is_named(around: Path, text: str, file: str) -> None:
    data, code = TEXTS[text]
    write_site(around / "site", {file: data})
    built = built_beside(around)
    assert code in [each.code for each in built.diagnostics if each.file == file]
    for data in built.output.written.values():
        data.decode()
    assert not any(b"\0" in data for data in built.output.written.values())


def test_a_thousand_pages_in_one_folder_are_built(tmp_path: Path) -> None:
    pages = {f"docs/many/p{n:05}.md": "" for n in range(1_000)}
    built = build_site(tmp_path, {"site.yml": "title: T\n", **pages})
    assert built.codes == []
    assert built.result.pages == 1_000
    assert len(built.text("docs/many/p00500.html")) < 40_000


def test_no_file_of_a_build_has_the_character_nul(tmp_path: Path) -> None:
    files = {
        "site.yml": 'title: "T\\0"\nfooter: {text: "f\\0"}\nnav: [{label: "n\\0", href: /}]\n',
        "docs/a.md": "# Title\0\n\ntext\0\n",
        "docs/b.mdx": "text\n\nTitle\0\n===\n\n```\n\0\n```\n\n<Card title='\0'>\0</Card>\n",
        "docs/c.md": '---\ntitle: "t\\0"\ndescription: "d\\0"\nsidebar_label: "s\\0"\n---\n',
        "docs/c.llms.md": "twin\0",
        "docs/in/_category_.yml": 'label: "l\\0"',
        "docs/in/d.md": "text",
    }
    built = build_site(tmp_path, files)
    assert [path for path, data in built.output.written.items() if b"\0" in data] == []
