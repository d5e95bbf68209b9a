"""Sites of MkDocs: blocks, includes, marks, navigation and settings, each with what is told as lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builder.importer.imported import imported

BLOCKS: list[tuple[str, str, str, str]] = [
    (
        "an admonition with its title",
        '!!! warning "Take care"\n    Text.\n',
        ":::warning Take care\nText.\n:::",
        "",
    ),
    (
        "one within another",
        "!!! note\n    A.\n\n    !!! tip\n        B.\n",
        "::::note\nA.\n\n:::tip\nB.\n:::\n::::",
        "",
    ),
    ("quotes in a title", '!!! note "on the "x" of y"\n    A.\n', ':::note on the "x" of y', ""),
    (
        "one that opens",
        '??? note "More"\n    Text.\n',
        "<details>\n<summary>More</summary>\n\nText.\n\n</details>",
        "",
    ),
    (
        "beside the text",
        '!!! info inline end "T"\n    A.\n',
        ":::info T\nA.\n:::",
        "place of a block beside the text",
    ),
    (
        "tabs",
        '=== "A"\n\n    One.\n\n=== "B"\n\n    Two.\n',
        (
            "<Tabs>\n"
            '<TabItem label="A">\n\n'
            "One.\n\n"
            "</TabItem>\n\n"
            '<TabItem label="B">\n\n'
            "Two.\n\n"
            "</TabItem>\n"
            "</Tabs>"
        ),
        "",
    ),
    (
        "tabs that end with a line that goes",
        '=== "A"\n\n    One.\n    { .annotate }\n\n=== "B"\n\n    <div markdown>\n    B\n    </div>\n\nC.\n',
        (
            '<TabItem label="A">\n\nOne.\n\n</TabItem>\n\n<TabItem label="B">\n\n'
            "B\n\n</TabItem>\n</Tabs>\n\nC."
        ),
        "",
    ),
    (
        "tabs with code alone",
        '=== "A, B"\n\n    ```py\n    a\n    ```\n\n=== "C"\n\n    ```js\n    c\n    ```\n',
        '<CodeGroup labels="A\\, B,C">',
        "",
    ),
    (
        "tabs within what opens",
        '??? note "M"\n    === "A"\n        One.\n',
        '<Tabs>\n<TabItem label="A">\n\nOne.\n\n</TabItem>\n</Tabs>\n\n</details>',
        "",
    ),
    ("slashes", "/// note | T\nText.\n///\n", ":::note T\nText.\n:::", ""),
    ("a type as an option", "/// admonition | T\n    type: warning\n\nText.\n///\n", ":::warning T", ""),
    (
        "a block of a name",
        "/// version-added | v2\n///\n",
        ":::note Version added: v2",
        "block version-added",
    ),
    (
        "a grid of cards",
        (
            '<div class="grid cards" markdown>\n\n'
            "-   :material-rocket: __Go__\n\n"
            "    ---\n\n"
            "    Text.\n\n"
            "</div>\n"
        ),
        '<CardGrid>\n\n<Card title="Go" icon="rocket">\n\n\nText.\n\n</Card>\n\n</CardGrid>',
        "",
    ),
    ("a heading's id", "## A { #b .c }\n", "## A {#b}", "list of attributes"),
    ("headings of one text", "## A\n\n## A\n", "## A\n\n## A {#a_1}\n", ""),
    ("a heading with code and an id", "## A `b` { #c .d }\n", "## A `b` {#c}", "list of attributes"),
    ("an id by its name", '## A <small>b</small> { id="1.2" }\n', "## A <small>b</small> {#1.2}", ""),
    ("an id with a dot", "## A { #v1.2 }\n", "## A {#v1.2}", ""),
    (
        "a fence round indented ones",
        '```\n=== "A"\n\n    ``` c\n    x\n    ```\n```\n\n=== "B"\n\n    Two.\n',
        '````\n=== "A"\n\n    ``` c\n    x\n    ```\n````\n\n<Tabs>',
        "",
    ),
    ("a named emoji", "A :snake: and :ballet_shoes:\n", "A 🐍 and 🩰", "emoji"),
    (
        "documentation of commands",
        "::: mkdocs-click\n    :module: a.cli\n\nSee [it](#a-b).\n",
        '<a id="mkdocs-click"></a>`mkdocs-click`\n\nSee [it](./index.md).',
        "anchor that a plugin made",
    ),
    ("a list in a cell", "| A |\n| --- |\n| <ul><li>x</li><li>y</li></ul> |\n", "| x<br>y<br> |", ""),
    (
        "a box that is a look",
        '<div class="termy">\n\n```console\n<font color="#4E9A06">INFO</font>: a\n```\n\n</div>\n',
        "```console\nINFO: a\n```",
        "colours of a terminal",
    ),
    ("a heading with a line below", "Über uns\n========\n", "Über uns {#uber-uns}\n========", ""),
    ("an anchor", "!!! note\n    A.\n\n[](){#old}\n\nText.\n", '\n<a id="old"></a>\n', ""),
    ("an image's width", "![A](a.png){ width=300 }\n", '<img src="a.png" alt="A" width="300" />', ""),
    (
        "a pair of images",
        "![A](a.png#only-light)\n![A](b.png#only-dark)\n",
        '<Frame dark="b.png">\n![A](a.png)',
        "",
    ),
    (
        "keys and marks",
        "==A== H~2~O ++ctrl+c++ ^^b^^\n",
        "<mark>A</mark> H<sub>2</sub>O ++ctrl+c++ b",
        "underlined text",
    ),
    ("editors' marks", "{++a++} {--b--} {>>c<<}\n", "a ~~b~~ ", "remark of an editor"),
    ("an icon", "A :material-rocket: and :fontawesome-brands-nothing: B\n", "A :icon-rocket: and B", "icon"),
    (
        "an abbreviation",
        "HTML and HTML.\n\n*[HTML]: Hyper Text\n",
        '<abbr title="Hyper Text">HTML</abbr> and HTML.',
        "",
    ),
    (
        "options of code",
        '```py hl_lines="1 3-4" linenums="1" title="a.py"\n```\n',
        '```py {1,3-4} showLineNumbers title="a.py"',
        "",
    ),
    ("options of code without a language", '``` hl_lines="4"\na\n```\n', "``` text {4}\na\n```", ""),
    ("a remark in code", "```py\na  # (1)!\n```\n\n1. B\n", "a  # (1)\n", "remark in code"),
    (
        "docstrings",
        "::: a.b\n    options:\n      members:\n        - c\n",
        '<a id="a.b"></a>`a.b`\n\n- <a id="a.b.c"></a>`c`',
        "documentation from docstrings",
    ),
    (
        "an include where no plugin reads it",
        '```\n{% include "a.html" %}\n```\n',
        '```\n{% include "a.html" %}\n```',
        "",
    ),
    ("braces where no plugin fills in templates", "A {{ b }} C\n", "A {{ b }} C", ""),
    ("a heading like one that has an id", "## A { #a }\n\n## A\n", "## A {#a}\n\n## A {#a_1}\n", ""),
    (
        "a line within code in a table",
        "| A | B |\n|---|---|\n| `a | b` | c |\n\n`d | e`\n",
        "| `a \\| b` | c |\n\n`d | e`",
        "",
    ),
    ("a table of contents", "[TOC]\n\nText.\n", "\nText.", ""),
]

SITE = "site_name: A\nmarkdown_extensions: [pymdownx.snippets]\nplugins: [search, macros, include-markdown]\n"


@pytest.mark.parametrize(
    ("old", "new", "loss"), [each[1:] for each in BLOCKS], ids=[each[0] for each in BLOCKS]
)
def test_form_is_written_as_it_is_here(tmp_path: Path, old: str, new: str, loss: str) -> None:
    files: dict[str, str | bytes] = {
        "mkdocs.yml": "site_name: A\n",
        "docs/index.md": f"# T\n\n{old}",
        "docs/a.png": b"",
        "docs/b.png": b"",
    }
    site = imported(tmp_path, "mkdocs", files)
    text = next(text for name, text in site.texts.items() if name.startswith("docs/index"))
    assert new in text
    assert loss == "" or loss in {each.what for each in site.losses}


INCLUDES: list[tuple[str, str, str, str]] = [
    ("a snippet", '--8<-- "part.md"\n', "Part.", ""),
    ("lines in code", '```py\n--8<-- "a.py:2:3"\n```\n', "```py\nb = 2\nc = 3\n```", ""),
    ("a section", '```py\n--8<-- "a.py:one"\n```\n', "```py\nd = 4\n```", ""),
    ("indented", '!!! note\n    --8<-- "part.md"\n', ":::note\nPart.\n:::", ""),
    ("a block of paths", "--8<--\npart.md\n--8<--\n", "Part.", ""),
    ("one that is escaped", '```\n;--8<-- "part.md"\n```\n', '--8<-- "part.md"', ""),
    ("one that is gone", '--8<-- "gone.md"\n', "", "include of a file that is not there"),
    ("one above the root", '--8<-- "../../../../etc/passwd"\n', "", "include of a file that is not there"),
    ("one of itself", '--8<-- "loop.md"\n', "Loop.", "include of a file that is not there"),
    ("a plugin's", '{% include-markdown "../part.md" %}\n', "Part.", ""),
    ("between two texts", '{% include "../a.py" start="[start:one]\\n" end="# --" %}\n', "d = 4", ""),
    ("a value", "Version {{ version }} of {{ config.site_name }}.\n", "Version 2 of A.", ""),
]


@pytest.mark.parametrize(
    ("old", "new", "loss"), [each[1:] for each in INCLUDES], ids=[each[0] for each in INCLUDES]
)
def test_what_a_page_includes_is_put_in(tmp_path: Path, old: str, new: str, loss: str) -> None:
    files: dict[str, str | bytes] = {
        "mkdocs.yml": f"{SITE}extra: {{version: 2}}\n",
        "docs/index.md": f"# T\n\n{old}",
        "part.md": "Part.\n",
        "loop.md": 'Loop.\n--8<-- "loop.md"\n',
        "a.py": "a = 1\nb = 2\nc = 3\n# --8<-- [start:one]\nd = 4\n# --8<-- [end:one]\ne = 5\n",
    }
    site = imported(tmp_path, "mkdocs", files)
    text = next(text for name, text in site.texts.items() if name.startswith("docs/index"))
    assert new in text
    assert loss == "" or loss in {each.what for each in site.losses}


TEMPLATES: list[tuple[str, str, str, str]] = [
    ("a value with a filter", "{{ x.name | upper }} {{ list[1] }}\n", "ANNA 2", ""),
    (
        "a loop",
        "{% for one in list %}\n- {{ loop.index }}: {{ one }}\n{% endfor %}\n",
        "- 1: 1\n- 2: 2\n",
        "",
    ),
    ("names and values", "{% for k, v in x.items %}\n{% endfor %}\n", "# T\n\n", "template loop"),
    ("a mapping", "{% for k, v in x %}\n{{ k }}={{ v }}\n{% endfor %}\n", "name=Anna\nlast=B\n", ""),
    ("a loop in a line", "A{% for one in list %} {{ one }}{% endfor %}.\n", "A 1 2.", ""),
    (
        "conditions",
        "{% if x.none %}\nA\n{% elif x.last == 'B' %}\nB\n{% else %}\nC\n{% endif %}\n",
        "# T\n\nB\n",
        "",
    ),
    (
        "an unknown loop",
        "{% for one in call() %}\n[x]({{ one }})\n{% endfor %}\nZ\n",
        "# T\n\nZ\n",
        "template loop",
    ),
    ("what is not known", "A {{ gone }} B\n", "A  B", "template expression"),
    ("a list that holds a value", "{% if 3 not in list %}\nA\n{% endif %}\n", "# T\n\nA\n", ""),
    ("a name that is set", "{% set y = x.last %}\n{{ y }}\n", "# T\n\nB\n", ""),
    ("data of a file", "{{ people.first.name }}\n", "Carl", ""),
    ("what is raw", "```\n{% raw %}\n{{ x.name }}\n{% endraw %}\n```\n", "```\n\n{{ x.name }}\n\n```", ""),
]


@pytest.mark.parametrize(
    ("old", "new", "loss"), [each[1:] for each in TEMPLATES], ids=[each[0] for each in TEMPLATES]
)
def test_templates_are_filled_in_from_data(tmp_path: Path, old: str, new: str, loss: str) -> None:
    files = {
        "mkdocs.yml": (
            "site_name: A\nplugins: [{macros: {include_yaml: [{people: data/p.yml}]}}]\n"
            "extra: {x: {name: Anna, last: B}, list: [1, 2]}\n"
        ),
        "data/p.yml": "first: {name: Carl}\n",
        "docs/index.md": f"# T\n\n{old}",
    }
    site = imported(tmp_path, "mkdocs", files)
    text = next(text for name, text in site.texts.items() if name.startswith("docs/index"))
    assert new in text
    assert {each.what for each in site.losses} <= {loss, "template expression"}
    assert not loss or loss in {each.what for each in site.losses}


def test_losses_name_the_lines_of_the_file_whatever_is_put_in(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": SITE,
        "docs/index.md": '---\ntitle: T\n---\n\n--8<-- "part.md"\n\n^^b^^\n',
        "part.md": "A\n\nB\n\nC\n",
    }
    site = imported(tmp_path, "mkdocs", files)
    assert [each.line for each in site.losses if each.what == "underlined text"] == [7]


NAVIGATIONS: list[tuple[str, dict[str, str], str]] = [
    (
        "of the configuration",
        {"mkdocs.yml": "site_name: A\nnav: [index.md, {G: [a/b.md, {Out: 'https://example.com'}]}, a]\n"},
        "- docs/index\n- label: G\n  items:\n  - docs/a/b\n  - href: https://example.com\n    label: Out\n",
    ),
    (
        "with groups of links alone",
        {"mkdocs.yml": "site_name: A\nnav: [index.md, {L: [{de: /de/}]}, {2024: [a/b.md, a/b.md]}]\n"},
        "- docs/index\n- heading: L\n- href: /de/\n  label: de\n- label: '2024'\n  items:\n  - docs/a/b\n",
    ),
    (
        "of a file in a folder",
        {
            "mkdocs.yml": "site_name: A\n",
            "docs/.pages": "nav:\n  - Home: index.md\n  - ...\n",
            "docs/a/.pages": "title: First\norder: desc\n",
        },
        "- page: docs/index\n  label: Home\n- label: First\n  items:\n  - docs/a/c\n  - docs/a/b\n",
    ),
    (
        "of a list in a page",
        {
            "mkdocs.yml": "site_name: A\nplugins: [literate-nav]\n",
            "docs/SUMMARY.md": "* [Home](index.md)\n* G\n    * [B](a/b.md)\n",
        },
        "- page: docs/index\n  label: Home\n- label: G\n  items:\n  - page: docs/a/b\n    label: B\n",
    ),
]


@pytest.mark.parametrize(
    ("files", "expected"), [each[1:] for each in NAVIGATIONS], ids=[each[0] for each in NAVIGATIONS]
)
def test_navigation_is_kept(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    pages = {"docs/index.md": "# T\n", "docs/a/b.md": "# B\n", "docs/a/c.md": "# C\n"}
    site = imported(tmp_path, "mkdocs", {**pages, **files})
    assert site.texts["sidebar.yml"].startswith(expected)


def test_settings_come_from_what_a_configuration_inherits_too(tmp_path: Path) -> None:
    files = {
        "base.yml": "site_name: Below\nrepo_url: https://github.com/example/a\n",
        "mkdocs.yml": (
            "INHERIT: base.yml\nsite_name: Above\nedit_uri: edit/main/docs/\ncopyright: <b>©</b> A\n"
            "theme: {palette: [{media: x}, {primary: teal}]}\n"
            "extra: {version: {provider: mike}, social: "
            "[{icon: fontawesome/brands/github, link: 'https://github.com/example'}]}\n"
            "plugins: [{i18n: {default_language: en, "
            "languages: [{locale: en, default: true}, {locale: de}]}}]\n"
        ),
        "docs/index.md": "# T\n",
        "docs/index.de.md": "# T\n",
    }
    site = imported(tmp_path, "mkdocs", files)
    text = site.texts["site.yml"]
    for line in (
        "title: Above",
        "#009485",
        "https://github.com/example/a/edit/main/{path}",
        "text: © A",
        "github: https://github.com/example",
    ):
        assert line in text
    assert {"versions by mike", "page in another language"} <= {each.what for each in site.losses}
    assert [page.file for page in site.old.pages] == ["docs/index.md"]


def test_folder_that_names_itself_ends(tmp_path: Path) -> None:
    own = "nav: ['*', '.', a, '*', '.', ..., {G: ['*', '.', a]}]\n"
    files = {
        "mkdocs.yml": "site_name: A\n",
        "docs/index.md": "# T\n",
        "docs/a/b.md": "# B\n",
        "docs/.pages": own,
        "docs/a/.pages": own,
    }
    site = imported(tmp_path, "mkdocs", files)
    assert "docs/a/b" in site.texts["sidebar.yml"]


def test_page_without_a_heading_has_the_title_of_the_navigation(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: A\nnav: [index.md, {G: [{JSON Schema: a.md}, {O: b.md}, {No: c.md}]}]\n",
        "docs/index.md": "# T\n",
        "docs/a.md": "Text.\n\n```sh\n# no heading\n```\n",
        "docs/b.md": "# Own\n",
        "docs/c.md": "---\ntitle: Given\n---\nText.\n",
    }
    pages = {page.file: page.fields.get("title") for page in imported(tmp_path, "mkdocs", files).old.pages}
    assert pages == {
        "docs/a.md": "JSON Schema",
        "docs/b.md": None,
        "docs/c.md": "Given",
        "docs/index.md": None,
    }


def test_addresses_of_folders_are_answered_by_folders(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": (
            "site_name: A\nplugins: [{redirects: {redirect_maps: {old.md: a.md, in/index.md: b/index.md}}}]\n"
        ),
        "docs/a.md": "# A\n",
        "docs/b/index.md": "# B\n",
    }
    site = imported(tmp_path, "mkdocs", files)
    assert {page.url for page in site.placed.pages.values()} == {"/a/", "/b/"}
    assert "trailing_slash: true" in site.texts["site.yml"]
    assert "slug" not in site.texts["docs/a.md"] + site.texts["docs/b/index.md"]
    assert site.old.redirects == {"/old/": "/a/", "/in/": "/b/"}


def test_links_by_address_lead_on_from_a_page_with_a_slug(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: A\n",
        "docs/g/a.md": "# A\n\n[B](../b/) [C](../../c/#x) [D](/c/) [E](c.md) [F](../c.md)\n",
        "docs/g/b.md": "# B\n",
        "docs/g/c.md": "# C\n",
        "docs/c.md": "# C\n",
    }
    text = imported(tmp_path, "mkdocs", files).texts["docs/g/a.md"]
    assert text.endswith("[B](./b.md) [C](../c.md#x) [D](/c/) [E](c.md) [F](../c.md)\n")


def test_embedded_page_in_a_box_is_a_link(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: A\n",
        "docs/index.md": '# T\n\n<div style="x">\n    <iframe src="https://a.example/b"></iframe>\n</div>\n',
    }
    site = imported(tmp_path, "mkdocs", files)
    assert "\n[https://a.example/b](<https://a.example/b>)\n" in site.texts["docs/index.md"]
    assert ("embedded page", 4, "changed") in [(each.what, each.line, each.state) for each in site.losses]
