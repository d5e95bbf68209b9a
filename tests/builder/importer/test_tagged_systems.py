"""Sites of Mintlify, Fumadocs, GitBook and mdBook: how each form is written, and what is told as lost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.importer.old_site import System
from tests.builder.importer.imported import imported

SITES: Mapping[System, tuple[Mapping[str, str], str]] = {
    "mintlify": (
        {
            "docs.json": '{"name": "A", "navigation": {"$ref": "./nav.json"}}',
            "nav.json": '{"groups": [{"group": "G", "pages": ["index"]}]}',
            "snippets/s.mdx": "Shared %{x}.\n",
            "snippets/v.mdx": 'export const v = "Value"\n',
        },
        "index.mdx",
    ),
    "fumadocs": (
        {
            "source.config.ts": "import { defineDocs } from 'fumadocs-mdx/config'\n",
            "content/docs/meta.json": '{"pages": ["index", "..."]}',
            "content/docs/r/meta.json": '{"title": "Root", "root": true}',
            "content/docs/r/a.mdx": "# A\n",
        },
        "content/docs/index.mdx",
    ),
    "gitbook": ({".gitbook.yaml": "root: ./\n", "SUMMARY.md": "* [A](README.md)\n"}, "README.md"),
    "mdbook": (
        {
            "book.toml": '[book]\ntitle = "A"\n',
            "src/SUMMARY.md": "- [A](index.md)\n",
            "src/a.rs": "fn a() {}\n",
        },
        "src/index.md",
    ),
}

FORMS: list[tuple[str, System, str, str, str]] = [
    (
        "a card with text in attributes",
        "mintlify",
        '<Card title="T" icon="rocket" cta="More" href="https://a.com" />\n',
        '<Card title="T" icon="rocket" href="https://a.com">More</Card>',
        "",
    ),
    (
        "a pair of images",
        "mintlify",
        (
            "<Frame>\n"
            '<img className="block dark:hidden" src="https://a.com/l.png" alt="L" />\n'
            '<img className="hidden dark:block" src="https://a.com/d.png" alt="D" />\n'
            "</Frame>\n"
        ),
        '<Frame dark="https://a.com/d.png">',
        "image for dark pages",
    ),
    (
        "nested parameters",
        "mintlify",
        (
            '<ResponseField name="a">\n'
            "A\n"
            '<Expandable title="P">\n'
            '<ResponseField name="b">\n'
            "B\n"
            "</ResponseField>\n"
            "</Expandable>\n"
            "</ResponseField>\n"
        ),
        '<Params>\n<Param name="b">',
        "",
    ),
    (
        "a snippet with properties",
        "mintlify",
        'import S from "/snippets/s.mdx"\n\n<S x="Y" />\n',
        '<Include src="./snippets/_s.mdx" x="Y" />',
        "",
    ),
    (
        "a value of a snippet",
        "mintlify",
        'import { v } from "/snippets/v.mdx"\n\nIt is {v}.\n',
        "It is Value.",
        "",
    ),
    (
        "an entry with a day",
        "mintlify",
        '<Update label="2026-01-02" description="v1.0">\nA\n</Update>\n',
        '<Update label="v1.0" date="2026-01-02">\n\n<a id="v1-0"></a>',
        "day of an entry",
    ),
    (
        "a tree",
        "mintlify",
        '<Tree>\n  <Tree.Folder name="a">\n    <Tree.File name="b" />\n  </Tree.Folder>\n</Tree>\n',
        "<FileTree>\n- `a/`\n  - `b`\n</FileTree>",
        "",
    ),
    (
        "text for agents",
        "mintlify",
        '<Visibility for="agents">\nA\n</Visibility>\n',
        "",
        "text for agents alone",
    ),
    (
        "an embedded page",
        "mintlify",
        '<iframe src="https://a.com/v" title="V" style={{ width: "1px" }}></iframe>\n',
        "[V](<https://a.com/v>)",
        "embedded page",
    ),
    ("a heading with a dot", "mintlify", "## Version 1.2\n", "## Version 1.2 {#version-1-2}", ""),
    ("a callout", "fumadocs", '<Callout type="warn" title="T">\nA\n</Callout>\n', ":::warning T\nA\n:::", ""),
    (
        "a card with a description",
        "fumadocs",
        '<Card title="T" href="/x" icon={<RocketIcon />} description="D" />\n',
        '<Card title="T" icon="rocket" href="/x">D</Card>',
        "",
    ),
    (
        "a table of types",
        "fumadocs",
        "<TypeTable type={{ a: { type: 'string', description: 'D', required: true } }} />\n",
        '<Params>\n\n<Param name="a" type="string" required>\nD\n</Param>\n\n</Params>',
        "",
    ),
    ("a block of code", "fumadocs", '<DynamicCodeBlock lang="ts" code="a" />\n', "```ts\na\n```", ""),
    (
        "files",
        "fumadocs",
        '<Files>\n  <Folder name="a">\n    <File name="b" />\n  </Folder>\n</Files>\n',
        "<FileTree>\n- `a/`\n  - `b`\n</FileTree>",
        "",
    ),
    (
        "steps",
        "gitbook",
        "{% stepper %}\n{% step %}\n### One\n\nA\n{% endstep %}\n{% endstepper %}\n",
        '<Step title="One">\n\nA',
        "",
    ),
    ("a hint", "gitbook", '{% hint style="success" %}\nA\n{% endhint %}\n', ":::tip\nA\n:::", ""),
    (
        "a block that is not known",
        "gitbook",
        '{% swagger src="a" %}\nA\n{% endswagger %}\n',
        "A",
        "block swagger",
    ),
    ("an include", "mdbook", "```rust\n{{#include a.rs}}\n```\n", "```rust\nfn a() {}\n```", ""),
    (
        "hidden lines",
        "mdbook",
        "```rust\n# fn main() {\nlet a = 1;\n# }\n```\n",
        "```rust\nlet a = 1;\n```",
        "hidden line of code",
    ),
    ("words behind a language", "mdbook", "```rust,ignore\na\n```\n", "```rust\na\n```", ""),
]


@pytest.mark.parametrize(
    ("system", "old", "new", "loss"), [each[1:] for each in FORMS], ids=[each[0] for each in FORMS]
)
def test_form_is_written_as_it_is_here(tmp_path: Path, system: System, old: str, new: str, loss: str) -> None:
    files, page = SITES[system]
    site = imported(tmp_path, system, {**files, page: f"# T\n\n{old}"})
    text = next(text for name, text in site.texts.items() if name.startswith("docs/index"))
    assert new in text
    assert loss == "" or loss in {each.what for each in site.losses}


def test_folder_that_is_a_root_has_a_navigation_of_its_own(tmp_path: Path) -> None:
    files, page = SITES["fumadocs"]
    site = imported(tmp_path, "fumadocs", {**files, page: "# T\n"})
    assert [part.label for part in site.old.navigation] == ["", "Root"]


def test_page_that_was_hidden_is_in_no_navigation(tmp_path: Path) -> None:
    nav = '{"groups": [{"group": "G", "pages": ["index", "a"]}, {"group": "H", "pages": ["a"]}]}'
    files = {
        "docs.json": f'{{"name": "A", "navigation": {nav}}}',
        "index.mdx": "# T\n",
        "a.mdx": "---\nhidden: true\n---\n",
    }
    texts = imported(tmp_path, "mintlify", files).texts
    assert texts["sidebar.yml"] == "- label: G\n  items:\n  - docs/index\n"
    assert "unlisted: true" in texts["docs/a.md"]


LEADS = [
    ("Ships and berths.", "# T\n\nText.\n", "# T\n\nShips and berths.\n\nText.\n"),
    ("A `code` of <x> & {y}, a_b", "Text.\n", "A \\`code\\` of \\<x> & \\{y\\}, a_b\n\nText.\n"),
    ("1. First: - +", "", "1\\. First: - +\n\n"),
    ("# no heading", "", "\\# no heading\n\n"),
]


@pytest.mark.parametrize(("description", "body", "shown"), LEADS, ids=[each[0] for each in LEADS])
@pytest.mark.parametrize("system", ["mintlify", "fumadocs", "gitbook"])
def test_description_that_readers_saw_is_the_first_text(
    tmp_path: Path, system: System, description: str, body: str, shown: str
) -> None:
    files, page = SITES[system]
    new = imported(tmp_path, system, {**files, page: f"---\ndescription: {description!r}\n---\n\n{body}"})
    text = next(text for name, text in new.texts.items() if name.startswith("docs/index."))
    assert text.split("\n---\n", 1)[1].lstrip("\n") == shown
    assert "words that are not on the page" not in {loss.what for loss in new.losses}
