"""The texts that each rule of `md` and `mdx` looks at, as short pieces to be repeated."""

from __future__ import annotations

RULES: dict[str, tuple[str, ...]] = {
    "words": (
        "a", "a ", " ", "\t", "  ", "é", "\u0301", "\u0301\u0323", "\u200b", "\u202e", "漢", "😀", "\x00",
        "a\xad",
    ),
    "line ends": (
        "\n", "a\n", "a  \n", "a\\\n", "\r", "\r\n", "\n\n", "a\n\n", " \n", "\u2028", "\x0b",
        "\x0c",
    ),
    "escapes": (
        "\\", "\\\\", "\\*", "\\a", "\\<", "\\{", "\\[",
    ),
    "entities": (
        "&", "&amp;", "&#", "&#1;", "&#x", "&a", "&a;", "&#99999999;", "&ngE;", "&lt;b&gt;",
    ),
    "code": (
        "`", "``", "`a", "`a`", "``a`", "` ", "`\n", "`<", "`{", "`|",
    ),
    "emphasis": (
        "*", "**", "***", "_", "__", "*a", "a*", "*a*", "**a", "_a_", "*_", "a**b", "*a _b", "*(",
        "a_",
    ),
    "strike": (
        "~", "~~", "~~~ ", "~a", "~~a~~", "~a~~", "*~", "~a~ ",
    ),
    "links": (
        "[", "]", "[a", "a]", "[]", "[a]", "[a](", "[a](b)", "[a](<", "[a](<b", '[a](b "',
        "[a](b 'c", "[a](b (c", "[a][", "[a][b]", "[a][]", "[[a](b)", "](", ")", "(", "[a](b)[",
        "[a](((", "[\\]", "[a](\\)", "[![a](b)](c)",
    ),
    "images": (
        "!", "![", "![a]", "![a](", "![a](b)", "![](", "![![", "![a](b.mp4)", "![a][b]",
    ),
    "definitions": (
        "[a]: ", "[a]: b\n", "[a]: <", "[a]:\n", '[a]: b "\n', "[a]: b 'c\n", "[a]:\nb\n", "[a\n",
        "[a]: b\n[a]\n", "[a]: b (\n", "\n[a]: b",
    ),
    "footnotes": (
        "[^", "[^a", "[^a]", "[^a]:", "[^a]: ", "[^a]: b\n", "[^a]: b\n\n", "[^a]: [^b]\n\n", "^[",
        "^[a]", "[^a]: [^a]\n\n    ", "[^a] [^b]: c\n\n",
    ),
    "addresses": (
        "www.", "www._", "www.a", "www.a ", "http://", "http://a", "https://a.b/ ", "http://_",
        "www.a_b.", "www.a)", "www.a.b&a;", "://", "http:", "*www._", "(www.a", "www.a?!.",
        "http://a.b/(", "www.-", "ftp://a.b",
    ),
    "mail": (
        "@", "a@", "a@b", "a@b.c", "a@b.c ", "mailto:", "mailto:a@", "a.b@", "@b.", "a+@", "-@-.",
        "a@b.c-", "_@_.",
    ),
    "angles": (
        "<", ">", "<a", "<a ", "<a>", "</a>", "<b>", "</b>", "<a b", "<a b=", '<a b="', "<a b='",
        "<a\n", "</", "<br/>", "<http:", "<http://a>", "<a@b.c>", "<a b='c' ", '<a href="b">',
        "<b\\>", "<1", "<a<", "<p>", "<div>\n", "</p>\n",
    ),
    "comments": (
        "<!--", "-->", "<!-- a -->", "<!-->", "<!", "<!A", "<?", "?>", "<![CDATA[", "]]>",
        "<!--\n\n", "<!-- --",
    ),
    "elements": (
        "<script>", "</script>", "<style>", "<textarea>", "<pre>", "<table>", "<td>", "<kbd>",
        "<details>\n", "<summary>", '<img src="a">', "<svg>", "<math>", "<a href=x>", "<iframe>",
        "<title>", "<p><b>", "<ul><li>", "<select><option>", "<form>", "<svg><p>", "<b><i>",
        "<template>", "<noscript>", "<plaintext>", "<details>\n\n", "<div>\n\n", "</div>\n\n",
        "<kbd>a</kbd>", "<sub>", "<span id=a>", '<div id="a">a</div>\n\n',
    ),
    "headings": (
        "#", "# ", "# a\n", "## a\n\n", "a\n=\n", "a\n-\n", "# a #\n", "# a {#b}\n", "{#a}", "{#",
        "#}", " #", "a\n===\n\n", "# \n", "# a {#b\n", "# [a](b) `c`\n",
    ),
    "rules": (
        "-", "---\n", "- - ", "***\n", "* * ", "_ _ ", "---\n\n", "- -\n", "__ ",
    ),
    "quotes": (
        ">", "> ", "> a\n", "> a\n\n", ">a\n", "> \n", "> > ", ">\n>", "> a\nb\n", "\n> ",
        "> [!NOTE]\n> a\n\n", "> [!NOTE]\n", "> ```\n", "> - a\n",
    ),
    "lists": (
        "- ", "- a\n", "- a\n\n", "-\n", "* a\n", "+ a\n- b\n", "1. ", "1. a\n", "1) a\n", "- - ",
        "- > ", "1. - ", "- a\n  - b\n", "  - a\n", "    - a\n", "- [ ] a\n", "- [x] ", "[ ] ",
        "999999999. a\n", "- a\n\n  b\n", "-\t", "- ```\n", "- # a\n", "2. a\n1. b\n",
        "- a\n\n\n  b\n",
    ),
    "indented code": (
        "    a\n", "\ta\n", "    \n", "a\n\n    b\n\n", " a\n", "     ",
    ),
    "fences": (
        "```\n", "```\na\n```\n", "~~~\n", "```a\n", "````\n", "```js\na\n", "``` {1}\n",
        "~~~a\n~~~\n", "```\n````\n", "```diff\n+a\n```\n", "```js title=a\n```\n",
        "```mermaid\na\n```\n",
    ),
    "tables": (
        "|", "|a", "|-|\n", "|a|\n|-|\n", "|a|\n|-|\n|b|\n", "a|b\n-|-\n", "\\|", "|:-:", "|-",
        "| ", "a|b\n", "|a|b|\n\n", "|`a|`b|", ":-", "-|",
    ),
    "braces": (
        "{", "}", "{}", "{a}", "{'", '{"', "{`", "{`${", "{/*", "{/* a */}", "{//", "${", "{{",
        "}}", "{\n", "{a\n", "{a}\n", "{'a'}", '{" "}', "{a: {", "{/a/", "{<a>", "\\}", "{[", "{(",
    ),
    "statements": (
        "import a from 'b'\n", "import a\n\n", "export ", "export const a = {\n", "import {\n",
        "export default (\n", "export const a = `\n", "import 'a'\nexport {\n",
        "export function a() {\n\n", "import a from 'b'\n\n",
    ),
    "components": (
        "<Card>", "</Card>", "<Card/>", "<Card>\n", "</Card>\n", "<Card>a</Card>",
        "<Card>\na\n</Card>\n\n", "<Card\n", '<Card title="', "<Card title='a' ", "<Card a={",
        "<Card a={b} ", "<Card {...a}", "<Tabs>\n<TabItem>\n", "<Steps>\n<Step>\n", "<Foo>",
        "</Foo>", "<Foo>\n", "<Foo/>\n", "<a.b>", "<Foo.Bar>", "<>", "</>", "<Method/>",
        '<Method method="GET"/>', "<Accordion>\n", "<Callout>\n\n", "<Callout>a</Callout>\n\n",
        "<Embed src='a'/>\n\n", "<CodeGroup>\n```\n", "<Params>\n<Param>\n", "<Param/>\n",
        "<TabItem>a</TabItem>\n", "<Endpoint/>\n\n", "<WhereItLives>\n", "<Card><Card>", "<A><B>\n",
        "<Card><Foo>", "  <Card>\n", "<Tabs labels={[", '<Tabs labels="a,b">\n',
        "<CardGrid>\n<Card>\n", "<Step title='a'>\n\n",
    ),
    "containers": (
        ":::", ":::\n", ":::note\n", ":::note\na\n:::\n", "::::note\n", ":::note[", ":::note a\n",
        ":::a\n", ":::note :::\n", ":::note\n\n", ":", "::", ":::note[a]{", "- :::note\n",
        "> :::note\n", ":::{.a}\n", ":::note\n:::\n\n",
    ),
    "icons": (
        ":icon-", ":icon-a:", ":icon-rocket:", ":icon-a-", ":icon:",
    ),
    "names": (
        "[a%d](#b) ", "[a](nowhere-%d) ", "![a%d](b) ", "![<b>%d](a) ", "<ftp://a%d> ", "[^%d] ",
        "[^%d]: a\n\n", "[a%d]: b\n", "## a%d\n", "# a {#b%d}\n", "<b id=a%d>", '<a href="b%d">',
        '<img src="b%d">', "<Foo%d>\n", "</Foo%d>", ":icon-a%d:", ":::a%d\n", "```a%d\n```\n",
        "<Card a%d=b/>\n", "a%d ", "`%d", "k%d: a\n", "&a%d;", "{a%d}", "<a%d", "[%d][",
        "www.a%d_b ", "[](%d) ", "![](b%d) ", "<div id=a%d>\n\n",
    ),
    "yaml": (
        "a: b\n", "- ", "[", "{", "&a ", "*a ", '"', "'", "!a ", "? ", "# ", "a: ", "---\n", "[a, ",
        "{a: ", "|\n", "%", ": ", "draft: ", "title: a\n", "<<: *a\n",
    ),
}  # fmt: skip
"""By the rule that they are meant for; every rule gets all of them."""

MARKS = (
    "a", " ", "\n", "\n\n", "\t", "\\", "&", ";", "`", "*", "_", "~", "[", "](", "]", ")", "(", "!",
    "^", "]: ", "www.", "://", "@", ".", "<", ">", "</", "/>", "<!--", "-->", "=", '"', "'", "#",
    "-", "- ", "1. ", "> ", "```\n", "|", "|-|\n", "{", "}", "{/*", "`${", "<Card", "</Card>",
    ":::", ":::note\n", ":icon-", "    ", "\r", "é", "<b>", "</b>", "<a ", "http",
)  # fmt: skip
"""The pieces that pairs and triples are made of."""


def singles() -> tuple[str, ...]:
    """Each piece once, in order."""
    return tuple(dict.fromkeys(piece for pieces in RULES.values() for piece in pieces))
