"""Forms of other systems are told where they are text, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from builder.links.table import LinkTable
from builder.markdown.body import render
from builder.markdown.context import Context
from builder.markdown.page import BodySource
from builder.paths import Format
from tests.corpora import examples, folder
from tests.time_bounds import processor_seconds

FORMS = {
    "admonition": ('!!! note "Tides"\n    Low.\n', "md mdx", "[!NOTE]"),
    "admonition of another kind": ("!!! success\n    Low.\n", "mdx", ":::tip"),
    "admonition in a list": ("- a\n\n    !!! warning\n        b\n", "md mdx", "[!WARNING]"),
    "collapsed": ("??? question\n    Low.\n", "md mdx", "<details>"),
    "collapsed, open": ('???+ note "T"\n    Low.\n', "md mdx", "<details>"),
    "caution": ("!!! caution\n    Low.\n", "md mdx", "[!WARNING]"),
    "block": ("/// warning | Title\nText.\n///\n", "mdx", ":::warning"),
    "block of a kind of its own": ("/// version-added | v2\nText.\n///\n", "mdx", "in the place of"),
    "row of no table": ("| a | b | c |\n| --- | -- ---| --- |\n| 1 | 2 | 3 |\n", "md mdx", "without blanks"),
    "words marked in code": ('```ts "next" /await/\na\n```\n', "md mdx", "lines"),
    "words added in code": ('```ts ins="next" del={/a b/}\na\n```\n', "md mdx", "lines"),
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
    "admonition without a blank": ("!!!note\n    Low.\n", "md mdx", "[!NOTE]"),
    "container of details": ("::: details Title\nText.\n:::\n", "md", "<details>"),
    "container of tabs": (":::tabs\nText.\n:::\n", "md", "<Tabs>"),
    "container of an unknown kind": (":::important\nText.\n:::\n", "md", "[!IMPORTANT]"),
    "container of MyST": (":::{hint}\nText.\n:::\n", "md", "[!TIP]"),
    "reference to a module": ("::: tide_tables\n    options:\n      members: no\n", "md mdx", "link"),
    "alert of another kind": ("> [!INFO]\n> Text.\n", "md mdx", "> [!NOTE]"),
    "alert with a title": ("> [!NOTE] Tides\n> Text.\n", "md mdx", "alone on the line"),
    "collapsed alert": ("> [!faq]- Tides\n> Text.\n", "md mdx", "> [!NOTE]"),
    "tip of Docsify": ("?> Low water.\n", "md mdx", "[!TIP]"),
    "warning of Docsify": ("!> Low water.\n", "md mdx", "[!WARNING]"),
    "frontmatter in TOML": ("+++\ntitle = 'Tides'\n+++\n", "md mdx", "YAML"),
    "leaf directive": ("::youtube[Tides]\n", "md mdx", "component"),
    "text directive": ("A :kbd[Ctrl] here.\n", "md mdx", "component"),
    "label": ("(tides)=\n", "md mdx", "{#id}"),
    "role": ("See {ref}`tides` here.\n", "md", "link"),
    "role of reStructuredText": ("See :doc:`tides` here.\n", "md mdx", "link"),
    "import": ("import { Tides } from '../tides'\n", "md", "leave it out"),
    "import of a part": ("import Low from './_low.mdx'\n", "md", '<Include src="./_low.mdx" />'),
    "import over lines": ("import {\n  Tides,\n} from '../tides'\n", "md", "leave it out"),
    "import in a component": ("<Card title='T'>\n\nimport A from './a'\n\n</Card>\n", "mdx", "leave"),
    "export": ("export const low = 4\n", "md", "leave it out"),
    "comment of mdx": ("Low {/* or high */} water.\n", "md", "<!--"),
    "include of macros, old": ("{!> ../a.md !}\n", "md", "Include"),
    "tag of a template": ("{{#if tide}}\n", "md", "stands for"),
    "tag over lines": ("{% code\n   lang='js' /%}\n", "md", "stands for"),
    "mark of an editor": ("Low {++and high++} water.\n", "md", "<ins>"),
    "attributes of an image": ('![T](https://a.example/a.png){ width="500" }\n', "md", "leave it out"),
    "attributes of a block": ("Text.\n{#low-water}\n", "md", "leave it out"),
    "attributes of a heading": ("## Tides { data-toc-label='T' }\n", "md", "leave it out"),
    "anchor": ("[](){#low-water}\n", "md", '<a id="low-water"></a>'),
    "attributes in a block of HTML": ("<div>\n![T](a.png){ width=5 }\n</div>\n", "md", "leave it out"),
    "value in a block of HTML": ("<div>\nVersion {{ version }}\n</div>\n", "md", "variables"),
    "inserted": ("Low ^^and high^^ water.\n", "md mdx", "<ins>"),
    "raised": ("The area is 4 m^2^ large.\n", "md mdx", "<sup>"),
    "lowered": ("Drink H~2~O here.\n", "md mdx", "<sub>"),
    "footnote in the text": ("Low water^[at 4 in the morning] here.\n", "md mdx", "[^1]"),
    "formula in the text": ("So $e = mc^2$ holds.\n", "md mdx", "math"),
    "formula in a block": ("```math\ne = mc^2\n```\n", "md mdx", "math"),
    "emoji with a sign": ("Low water :+1: again.\n", "md mdx", "character"),
    "link by name": ("See [[Low Water]] here.\n", "md mdx", "[text](address)"),
    "reference to a class": ("See [class method][classmethod] here.\n", "md mdx", "[text](address)"),
    "reference by words": ("The [MRO][method resolution order] here.\n", "md mdx", "[text](address)"),
    "reference to a name": ("See [`x()`][x] here.\n", "md mdx", "[text](address)"),
    "formula of a letter": ("Let $x$ and $f(x) = y$ be.\n", "md mdx", "math"),
    "image for dark pages": ("![T](https://a.example/a.png#only-dark)\n", "md mdx", "Frame"),
    "language within code": ("Call `#!python tides()` here.\n", "md mdx", "`tides()`"),
    "directive of MyST": ("```{tip}\nLow water.\n```\n", "md mdx", "[!TIP]"),
    "remark on code": ("```py\nlow()  # (1)!\n```\n", "md mdx", "comment"),
    "mark of a line": ("```js\nlow() // [!code focus]\n```\n", "md mdx", "[!code highlight]"),
    "hidden line": ("```rust\n# fn main() {\nlow();\n```\n", "md mdx", "//"),
    "value in an attribute": ('<Card title="Version {{ v }}">\n\na\n\n</Card>\n', "mdx", "variables"),
    "tag in an attribute": ('<Card title="{% t %}">\n\na\n\n</Card>\n', "mdx", "stands for"),
    "emoji in a label": (
        '<Tabs>\n<TabItem label=":x: Low">\n\na\n\n</TabItem>\n</Tabs>\n',
        "mdx",
        "character",
    ),
    "icon in a label": ('<Tabs>\n<TabItem label=":icon-x: L">\n\na\n\n</TabItem>\n</Tabs>\n', "mdx", "text"),
    "mark in an attribute": ('<Card title="==Low==">\n\na\n\n</Card>\n', "mdx", "plain text"),
    "admonition in an attribute": ('<Card title="!!! note">\n\na\n\n</Card>\n', "mdx", "plain text"),
    "value in an unknown tag": ('<Pic caption="{{ v }}">\n\na\n\n</Pic>\n', "mdx", "variables"),
    "value in a link": ("A [b](https://a.example/{{v}}/c) here.\n", "md mdx", "variables"),
    "value with blanks in a link": ("A [b](https://a.example/{{ v }}/c) here.\n", "md mdx", "variables"),
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
    "prices": "From $5 to $10, US$ or CA$, $A-$B, $1,000-$2,000$ and $9.99/month or $5/a$.\n",
    "references": "A [b][c] and [d] and [e][].\n\n[c]: https://a.example\n[e]: https://a.example\n",
    "arrays": "An int[][], a[0][1] and b[i][].\n",
    "colons": "At 10:20:30, a:b:c, https://a.example:80/:x:/y and std::vec::Vec.\n",
    "brackets": "A \\(b\\) c.\n",
    "brackets as code": "Between `\\\\(` and `\\\\)` is a formula, and `[a b c][label]` a reference.\n",
    "attributes of a heading": "## Tides {#low}\n\n## High { #high }\n\n### Both {: #both .wide }\n",
    "powers": "x^2 + y^2, ^a^ and 2^10, a^b^c.\n",
    "tildes": "~deleted~ and ~~deleted~~, ~/a and ~/b\n",
    "variables of a shell": "From $HOME/a_b to $PATH, ${A_B} or $A_B:$C_D.\n",
    "numbers": "A matrix [[1, 2], [3, 4]] and [[ -f a ]].\n",
    "prose": "import a number from the list, or export it\n",
    "plus": "+++\nand more\n",
    "html with code": "<div>\n<pre>{{ a }} and {a=b}</pre>\n</div>\n",
    "footnote": "Text[^1].\n\n[^1]: A note.\n",
    "titles of code": '```js title="a/b/c.js" {1}\na\n```\n\n```conf /etc/nginx/nginx.conf\na\n```\n',
    "table": "| a | b |\n| --- | :-: |\n| - - | 1 |\n",
    "lines of Rust": "```rust\n#[derive(Clone)]\n#![allow(x)]\nlet a = 1; // [!code ++]\n```\n",
    "code about marks": "```md\nlow() // [!code focus]\nlow()  # (1)!\n```\n",
    "image with a fragment": "![T](https://a.example/a.svg#only)\n",
    "braces": "A set {a, b} and an object {a: 1}.\n",
    "alert": "> [!NOTE]\n> Text.\n",
    "escaped include": "\\{{#include a.rs}} and \\{{ a }} and \\{% b %}, \\:x: and \\[a][b.c]\n",
    "code in an attribute": '<Param name="{{x}}" default=":x:" type="a ==b== c" />\n',
    "comments of shells": "```sh\n# one\n```\n\n```py\n# fn main() {\n```\n\n```toml\n# a\n```\n",
    "lines of Rust that none hides": '```rust\n## a\n#![allow(x)]\nlet a = "#";\n```\n',
    "escaped": "\\=\\=no\\=\\= and \\$\\$no\\$\\$\n",
}


SWITCHED = (
    ("So $$a$$ holds.\n", "md", "math", "rename the file to `.mdx`"),
    ("```math\na\n```\n", "md", "math", "rename the file to `.mdx`"),
    ("Press ++ctrl++ now.\n", "md", "keys", "write `<kbd>`, or rename the file to `.mdx`"),
    ("Tide\n:   Low.\n", "md", "definition-lists", "rename the file to `.mdx`, or write a list"),
    ('--8<-- "a.md"\n', "mdx", "includes", 'write `<Include src="..."/>`, or put the text here'),
    ("So \\\\( a \\\\) holds.\n", "mdx", "math", "write `$...$`"),
    ('```py\n--8<-- "a.py"\n```\n', "mdx", "includes", 'write `file="..."` after the language'),
)
"""Forms, the extra that a site has, and the hint, which does not say to switch it on."""


def told(text: str, form: Format, extras: frozenset[str] = frozenset()) -> list[tuple[int, str, str]]:
    """Line, message and hint of each form of others that is found."""
    context = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()), extras=extras)
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


@pytest.mark.parametrize(("text", "form", "extra", "hint"), SWITCHED)
def test_an_extra_that_the_site_has_is_not_proposed(text: str, form: Format, extra: str, hint: str) -> None:
    assert [one[2] for one in told(text, form, frozenset({extra}))] == [hint]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("<Note>\n\nLow.\n\n</Note>\n", "rename the file to `.mdx` and write `:::note`"),
        ("A <Tip>low</Tip> one.\n", "rename the file to `.mdx` and write `:::tip`"),
        ("<CardGroup>\n</CardGroup>\n", "rename the file to `.mdx` and write `<CardGrid>`"),
        ("<Tree>\n</Tree>\n", "rename the file to `.mdx` and write `<FileTree>`, which"),
        ("A list of <String> here.\n", ""),
    ],
)
def test_a_component_of_others_in_md_is_told_with_the_way(text: str, hint: str) -> None:
    context = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()))
    body = render(BodySource(text, "md", "docs/a.md", 1, "docs/a"), context)
    found = next(one for one in body.diagnostics if one.code == "html-dropped")
    assert found.hint.startswith(hint)
    assert bool(found.hint) == bool(hint)


def test_an_address_with_a_template_is_told_as_such() -> None:
    context = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()))
    body = render(BodySource("A [b]({{url}}/c) here.\n", "md", "docs/a.md", 1, "docs/a"), context)
    found = [(one.code, one.hint) for one in body.diagnostics]
    assert found == [("broken-link", "write the address itself: nothing fills in `{...}`")]


def test_the_place_is_that_in_the_file() -> None:
    text = "# A\n\n<Steps>\n  <Step title='x'>\n\n  Text ==marked== here.\n\n  </Step>\n</Steps>\n"
    context = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()))
    body = render(BodySource(text, "mdx", "docs/a.mdx", 5, "docs/a"), context)
    assert [(one.line, one.column) for one in body.diagnostics if one.code == "foreign-syntax"] == [(10, 8)]


@pytest.mark.parametrize("name", ["commonmark-0.31.2", "gfm-0.29", "gfm-extensions"])
def test_the_examples_of_specifications_have_none(name: str) -> None:
    found = {each["markdown"]: alarms for each in examples(name) if (alarms := told(each["markdown"], "md"))}
    assert found == {}


@pytest.mark.parametrize("name", ["redux", "jest"])
def test_trees_of_plain_markdown_have_only_what_their_system_adds(name: str) -> None:
    root = folder() / name
    pages = [path for path in root.rglob("*.md*") if path.suffix in {".md", ".mdx"}]
    assert len(pages) > 30
    found = [
        body.split("\n")[line - 1]
        for path in pages
        for body in [path.read_text("utf-8").partition("\n---\n")[2]]
        for line, *_ in told(body, "md")
    ]
    assert [line for line in found if not line.startswith(("import ", ":::important"))] == []


@pytest.mark.parametrize("form", ["md", "mdx"])
@pytest.mark.parametrize(
    "piece", ["$$a", '===  "a\n', "[[abcd", "{{<", "import {\n", "`a``", "[abcd][", "$a_"]
)
def test_much_of_what_begins_and_ends_nowhere_takes_no_time(piece: str, form: Format) -> None:
    with processor_seconds(2):
        told(piece * (60_000 // len(piece)), form)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('<Card title="a" description="Low." />\n', "write its text between `<Card>` and `</Card>`"),
        ('<Card title="a" colour="red" />\n', "it has `title`, `icon`, `href`"),
        ('<Snippet file="a.mdx" />\n', 'write `<Include src="..."/>` (`extras: [includes]`)'),
        ("<Check>\n\nLow.\n\n</Check>\n", "write `:::tip`"),
    ],
)
def test_what_others_write_as_tags_is_told_with_ours(text: str, hint: str) -> None:
    context = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()))
    body = render(BodySource(text, "mdx", "docs/a.mdx", 1, "docs/a"), context)
    assert [one.hint for one in body.diagnostics] == [hint]
