"""Forms of other systems are told where they are text, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from builder.links.table import LinkTable
from builder.markdown.body import render
from builder.markdown.context import Context
from builder.markdown.page import BodySource
from builder.paths import Format
from tests.corpora import examples, folder

FORMS = {
    "admonition": ('!!! note "Tides"\n    Low.\n', "md mdx", "[!NOTE]"),
    "admonition of another kind": ("!!! success\n    Low.\n", "mdx", ":::tip"),
    "admonition in a list": ("- a\n\n    !!! warning\n        b\n", "md mdx", "[!WARNING]"),
    "collapsed": ("??? question\n    Low.\n", "md mdx", "<details>"),
    "collapsed, open": ('???+ note "T"\n    Low.\n', "md mdx", "<details>"),
    "block": ("/// warning | Title\nText.\n///\n", "mdx", ":::warning"),
    "block of details": ("/// details | Title\nText.\n///\n", "md mdx", "<details>"),
    "block of tabs": ("/// tab | A\nText.\n///\n", "md mdx", "<Tabs>"),
    "tab": ('=== "Linux"\n\n    Text.\n', "md mdx", "<Tabs>"),
    "snippet": ('--8<-- "parts/a.md"\n', "md mdx", "Include"),
    "include of VitePress": ("<<< @/snippets/a.js\n", "md mdx", "Include"),
    "include of mdBook": ("{{#include a.rs}}\n", "md", "Include"),
    "include of macros": ("{* ../a.py hl[1] *}\n", "md", "Include"),
    "shortcode": ("{{< figure src=a.png >}}\n", "md", "stands for"),
    "template": ('{% hint style="info" %}\nText.\n{% endhint %}\n', "md", "stands for"),
    "attributes": ("A [link](https://a.example){ .md-button } here.\n", "md", "leave it out"),
    "keys": ("Press ++ctrl+alt+del++ now.\n", "md mdx", "<kbd>"),
    "mark": ("This is ==marked text== here.\n", "md mdx", "<mark>"),
    "formula": ("So $$e = mc^2$$ holds.\n", "md mdx", "math"),
    "definition": ("Tide\n:   The rise and fall.\n", "md mdx", "definition-lists"),
    "abbreviation": ("The HTML.\n\n*[HTML]: Hyper Text\n", "md mdx", "<abbr"),
    "contents": ("[TOC]\n", "md mdx", "leave it out"),
    "contents of VitePress": ("[[toc]]\n", "md mdx", "leave it out"),
    "reference": ("::: harbour.tides.Table\n", "md mdx", "link"),
    "reference to code": ("See [`Table`][harbour.tides.Table] here.\n", "md mdx", "[text](address)"),
    "short reference to code": ("See the [tides][] module.\n", "md mdx", "[text](address)"),
    "icon of Material": ("A :material-anchor: here.\n", "md mdx", ":icon-"),
    "emoji": ("Low water :pray: again.\n", "md mdx", "character"),
    "value of a template": ("Version {{ version }} here.\n", "md", "variables"),
    "formula of MathJax": ("So \\\\( a + b \\\\) holds.\n", "md mdx", "math"),
    "directive": (".. note:: Low water.\n", "md mdx", "markdown"),
    "code of a file": ("```rust\n{{#include a.rs:main}}\n```\n", "md mdx", "file="),
    "code of a snippet": ('A\n\n```py\n--8<-- "a.py"\n```\n', "md mdx", "file="),
    "diagram": ("```mermaid\ngraph TD\n```\n", "md mdx", "diagrams"),
}
CASES = [(name, form, text, hint) for name, (text, forms, hint) in FORMS.items() for form in forms.split()]
PLAIN = {
    "code span": "`!!! note`, `++ctrl++`, `==x==`, `$$a$$`, `--8<--`\n",
    "fence about includes": "```md\n\\{{#include a.rs}}\nuse {{#include a.rs}} so\n```\n",
    "fence": '```\n!!! note\n=== "A"\n[TOC]\n$$x$$\n```\n',
    "comparison": "If a == b and c == d, or x==y and z==w.\n",
    "increment": "Write C++ and i++ and ++i, or a++b.\n",
    "exclamation": "Wow!!! note that.\n\n!!!\n",
    "heading with a line": "Title\n===\n\ntext\n",
    "colon": "He said:\n\n- a\n\nTime: 4:12\n",
    "money": "From $5 to $10.\n",
    "slashes": "See ///server/share and https://a.example///b\n",
    "link": "[toc](#a) and [[x]](https://a.example)\n",
    "references": "A [b][c] and [d] and [e][].\n\n[c]: https://a.example\n[e]: https://a.example\n",
    "arrays": "An int[][], a[0][1] and b[i][].\n",
    "colons": "At 10:20:30, a:b:c, https://a.example:80/:x:/y and std::vec::Vec.\n",
    "brackets": "A \\(b\\) c.\n",
    "braces": "A set {a, b} and an object {a: 1}.\n",
    "alert": "> [!NOTE]\n> Text.\n",
    "escaped": "\\=\\=no\\=\\= and \\$\\$no\\$\\$\n",
}


def told(text: str, form: Format) -> list[tuple[int, str, str]]:
    """Line, message and hint of each form of others that is found."""
    context = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()))
    body = render(BodySource(text, form, f"docs/a.{form}", 1, "docs/a"), context)
    return [(one.line, one.message, one.hint) for one in body.diagnostics if one.code == "foreign-syntax"]


@pytest.mark.parametrize(
    ("name", "form", "text", "hint"), CASES, ids=[f"{name}, {form}" for name, form, *_ in CASES]
)
def test_each_form_is_told_once_with_what_to_write(name: str, form: Format, text: str, hint: str) -> None:
    found = told(text, form)
    assert found, name
    line, message, advice = found[0]
    first = text[: text.find(message.partition("`")[2].partition("`")[0].rstrip("…"))]
    assert line == first.count("\n") + 1 or "diagram" in message
    assert hint in advice or form == "mdx"
    assert ("rename" in advice) <= (form == "md")


@pytest.mark.parametrize("form", ["md", "mdx"])
@pytest.mark.parametrize("name", PLAIN)
def test_what_is_ours_or_code_is_not_told(name: str, form: Format) -> None:
    assert told(PLAIN[name], form) == []


def test_the_place_is_that_in_the_file() -> None:
    text = "# A\n\n<Steps>\n  <Step title='x'>\n\n  Text ==marked== here.\n\n  </Step>\n</Steps>\n"
    context = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()))
    body = render(BodySource(text, "mdx", "docs/a.mdx", 5, "docs/a"), context)
    assert [(one.line, one.column) for one in body.diagnostics if one.code == "foreign-syntax"] == [(10, 8)]


def test_the_examples_of_commonmark_have_none() -> None:
    shown = examples("commonmark-0.31.2")
    assert {each["example"]: found for each in shown if (found := told(each["markdown"], "md"))} == {}


@pytest.mark.parametrize("name", ["redux", "jest"])
def test_trees_of_plain_markdown_have_none(name: str) -> None:
    root = folder() / name
    pages = [path for path in root.rglob("*.md*") if path.suffix in {".md", ".mdx"}]
    assert len(pages) > 30
    found = {
        str(path.relative_to(root)): alarms
        for path in pages
        if (alarms := told(path.read_text("utf-8").partition("\n---\n")[2], "md"))
    }
    assert found == {}
