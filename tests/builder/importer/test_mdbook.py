"""Books of mdBook: the forms of chapters, of the summary, and of `book.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.importer.systems.mdbook.chapter import without_admonish
from tests.builder.importer.imported import checked, imported, write_origin

BOOK = {"book.toml": '[book]\ntitle = "A"\n', "src/SUMMARY.md": "- [A](index.md)\n", "src/index.md": "# A\n"}

CHAPTERS: list[tuple[str, str, Mapping[str, str], str, str]] = [
    (
        "an include of an include",
        "{{#include a.txt}}\n",
        {
            "src/a.txt": "A {{#include d/b.txt}} C",
            "src/d/b.txt": "{{#include c.txt:2}}",
            "src/d/c.txt": "x\nB\n",
        },
        "A B C",
        "",
    ),
    ("an include of itself", "{{#include a.txt}}\n", {"src/a.txt": "A {{#include a.txt}}"}, "A A A", ""),
    (
        "lines that another language hides",
        "```python\n~hidden\nseen\n```\n",
        {"book.toml": '[output.html.code.hidelines]\npython = "~"\n'},
        "```python\nseen\n```",
        "hidden line of code",
    ),
    (
        "a sign of the fence's own",
        "```sh,hidelines=!\n!a\nb\n```\n",
        {},
        "```sh\nb\n```",
        "hidden line of code",
    ),
    ("a title for browsers", "{{#title X}}\nText\n", {}, "\nText\n", "title for browsers alone"),
    ("a macro that is not known", "{{#quiz q.toml}}\n", {}, "{{#quiz q.toml}}", "macro quiz"),
    (
        "an admonition",
        '```admonish warning "Take care"\nText\n```\n',
        {},
        ":::warning Take care\nText\n:::",
        "",
    ),
    ("a diagram", "```mermaid\ngraph TD\n```\n", {}, "```mermaid", ""),
    ("a formula", "It is $x$.\n", {"book.toml": "[preprocessor.katex]\n"}, "It is $x$.", ""),
    ("a heading with another anchor", "## Ärger über\n", {}, "## Ärger über {#Ärger-über}", ""),
    ("its namesake", "## Ärger\n\n## Ärger\n", {}, "## Ärger {#Ärger}\n\n## Ärger {#Ärger-1}", ""),
    ("a macro as text", "\\{{#include a}}\n\nT\n: d\n", {}, "\\{\\{#include a\\}\\}", ""),
    ("a heading with code in angle brackets", "## `Box<T>`\n", {}, "## `Box<T>`\n", ""),
    ("a link out of the book", "[a](../std/x.html#y)\n", {}, "[a](/std/x.html#y)", "link out of the site"),
]


@pytest.mark.parametrize(
    ("old", "files", "new", "loss"), [each[1:] for each in CHAPTERS], ids=[each[0] for each in CHAPTERS]
)
def test_form_of_a_chapter(tmp_path: Path, old: str, files: Mapping[str, str], new: str, loss: str) -> None:
    site = imported(tmp_path, "mdbook", {**BOOK, "src/index.md": f"# T\n\n{old}", **files})
    text = next(text for name, text in site.texts.items() if name.startswith("docs/index"))
    assert new in text
    assert loss in {"", *(each.what for each in site.losses)}


FENCES = [
    ("a kind alone", "```admonish tip\nA\n```\n", ":::tip\nA\n:::\n"),
    ("a kind that is not one of ours", "```admonish bug\nA\n```\n", ":::danger Bug\nA\n:::\n"),
    ("a title by name", "```admonish title='T', id=\"x\"\nA\n```\n", ":::note T\nA\n:::\n"),
    (
        "one within another",
        "````admonish\nA\n```admonish tip\nB\n```\n````\n",
        "::::note\nA\n:::tip\nB\n:::\n::::\n",
    ),
    (
        "one that folds",
        "```admonish note collapsible=true\nA\n```\n",
        "<details>\n<summary>Note</summary>\n\nA\n\n</details>\n",
    ),
    ("one without an end", "```admonish\nA\n", ":::note\nA\n\n:::"),
]


@pytest.mark.parametrize(("old", "new"), [each[1:] for each in FENCES], ids=[each[0] for each in FENCES])
def test_fence_that_is_an_admonition(old: str, new: str) -> None:
    assert without_admonish(old) == new


SUMMARY = """# Summary

[Preface](preface.md)

# Part one

1. [`One`](one/README.md)
   - [Two](one/two.md)
   - [Later]()

---

[End](end.md)
"""
TOML = """[book]
title = "A"
[output.html]
site-url = "/a/"
cname = "docs.example.com"
smart-punctuation = true
[output.html.redirect]
"./old.html" = "./one/two.html"
"/one/three.html" = "two.html#onetwo"
"/gone.html" = "nowhere.html"
"/std.html" = "../std/index.html"
[preprocessor.own]
"""


def test_whole_book(tmp_path: Path) -> None:
    pages = {f"src/{name}.md": f"# {name}\n" for name in ("preface", "one/README", "one/two", "end")}
    others = {"po/de.po": "", "theme/favicon.svg": "<svg/>"}
    files = {"book.toml": TOML, "src/SUMMARY.md": SUMMARY, **pages, **others}
    report = checked(tmp_path / "new", "mdbook", write_origin(tmp_path / "old", files)).report
    assert {each.address for each in report.addresses} == {
        "/", "/preface.html", "/print.html", "/one/", "/one/two.html", "/end.html",
        "/old.html", "/one/three.html", "/std.html",
    }  # fmt: skip
    assert [each for each in report.addresses if not each.answers] == []
    assert report.errors == ()
    assert [each.what for each in report.losses] == [
        "draft chapter", "translation of the book", "`smart-punctuation` of book.toml", "preprocessor own",
        "redirect to what is not there",
    ]  # fmt: skip
    assert (tmp_path / "new/sidebar.yml").read_text() == (
        "- page: docs/preface\n  label: Preface\n- heading: Part one\n- page: docs/one/index\n  label: One\n"
        "  items:\n  - page: docs/one/two\n    label: Two\n- page: docs/end\n  label: End\n"
    )
    settings = (tmp_path / "new/site.yml").read_text()
    assert "url: https://docs.example.com" in settings
    assert "favicon: /favicon.svg" in settings
    assert "served_elsewhere:\n- /std\n" in settings


def test_book_with_a_folder_for_each_language(tmp_path: Path) -> None:
    pages = {f"src/{code}/{name}": text for code in ("en", "de") for name, text in _language(code).items()}
    site = imported(tmp_path, "mdbook", {"book.toml": '[book]\nlanguage = "de"\n', **pages})
    assert [page.file for page in site.old.pages] == ["src/de/a.md"]
    assert [(each.what, each.old) for each in site.losses] == [("translation of the book", "en")]


def _language(code: str) -> dict[str, str]:
    return {"SUMMARY.md": "- [A](a.md)\n", "a.md": f"# {code}\n"}
