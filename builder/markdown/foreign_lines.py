"""Forms of other systems that fill lines: admonitions, tabs, includes, statements, tables of contents.

They are those of MkDocs with its extensions, Docusaurus, VitePress, mdBook, MyST, Docsify and remark.
"""

from __future__ import annotations

from builder.lazy_regex import lazy
from builder.markdown.foreign_form import Foreign, line
from builder.markdown.mdx.tag_hints import REFERENCE
from components.admonition import TYPES

SIGNS = lazy(
    r"\n[ \t;-]*("
    r"!(?=!!|>[ \t])|\?(?=\?\?|>[ \t])|/(?=//+[ \t])|=(?===[!+]{0,2}[ \t]*[\"'])|8(?=<-)|<(?=<<[ \t])"
    r"|:(?=[: \t])|\*(?=\[)|\[(?=![A-Za-z]|\[?_?[Tt][Oo][Cc])|@(?=\[[Tt][Oo][Cc]\])|\.(?=\.[ \t][a-z])"
    r"|\|(?=[ \t]*:?-[ \t:|-]*-[ \t]+-)|\((?=[\w-]+\)=)|\+(?=\+\+[ \t]*\n)"
    r"|i(?=mport[ \t{*'\"])|e(?=xport[ \t]))"
)
"""The first character of what a line of text may begin with."""

INCLUDE = '{switch} and write `<Include src="..."/>`, or put the text here'
ATTRIBUTES = "leave it out; a heading can have `{{#id}}`"
DIRECTIVE = "write what it stands for, or a component"

_REST = r"[^\n]{0,200}"
_KIND = r"(?P<kind>[a-z][\w-]*)"
_ALONE = r"[ \t]*$"
_TAB = 'write `<Tabs>` with a `<TabItem label="...">` for each'
_DETAILS = "write `<details>` with a `<summary>`"
_CONTENTS = "leave it out: every page has one"
_GITHUBS = "note|tip|important|warning|caution"

BLOCKS = (
    Foreign("!!!", line(rf"!!!\+?[ \t]*{_KIND}(?=[ \t]|$){_REST}"), "an admonition"),
    Foreign("???", line(rf"\?\?\?\+?[ \t]*{_KIND}(?=[ \t]|$){_REST}"), "a collapsed admonition", _DETAILS),
    Foreign("///", line(rf"/{{3,}}[ \t]+details\b{_REST}"), "a collapsed block", _DETAILS),
    Foreign("///", line(rf"/{{3,}}[ \t]+tab\b{_REST}"), "a tab", _TAB, mdx=True),
    Foreign("///", line(rf"/{{3,}}[ \t]+{_KIND}(?=[ \t]*(?:\||$)){_REST}"), "a block"),
    Foreign("===", line(rf"""===[!+]{{0,2}}[ \t]*["']{_REST}"""), "a tab", _TAB, mdx=True),
    Foreign("8<-", line(rf";?-+8<-+{_REST}"), "a snippet", INCLUDE, needs="includes"),
    Foreign("<<<", line(rf"<<<[ \t]+[@./]{_REST}"), "an included file", INCLUDE, needs="includes"),
    Foreign(
        "[!",
        line(rf"\[!(?!(?:{_GITHUBS})\][ \t]*$)(?P<kind>[a-z][\w-]*)\][+-]?(?=[ \t]|$){_REST}"),
        "an alert",
        "write `> [!NOTE]`, `[!TIP]`, `[!IMPORTANT]`, `[!WARNING]` or `[!CAUTION]`, alone on the line",
    ),
    Foreign("?>", line(rf"\?>[ \t]{_REST}"), "a tip", "write `> [!TIP]` above it, and `>` before it"),
    Foreign("!>", line(rf"!>[ \t]{_REST}"), "a warning", "write `> [!WARNING]` above it, and `>` before it"),
    Foreign(
        ": ",
        lazy(rf"(?<=\n)[ \t]{{0,3}}:[ \t]{{1,4}}\S{_REST}"),
        "a definition list",
        "{switch}, or write a list",
        needs="definition-lists",
        extra="definition-lists",
    ),
    Foreign(
        "*[",
        line(rf"\*\[[^\]\n]{{1,100}}\]:{_REST}"),
        "an abbreviation",
        'write `<abbr title="...">` where the word is first used',
    ),
    Foreign("[TOC]", line(rf"\[TOC\]{_ALONE}"), "a table of contents", _CONTENTS),
    Foreign("[[", line(rf"\[\[_?toc_?\]\]{_ALONE}"), "a table of contents", _CONTENTS),
    Foreign("@[", line(rf"@\[toc\]{_ALONE}"), "a table of contents", _CONTENTS),
    Foreign(
        ":::",
        line(rf"{REFERENCE}{_ALONE}"),
        "a reference made from code",
        "write the reference, or link to where it is",
    ),
    Foreign(
        ":::",
        line(rf":{{3,}}[ \t]*(?:\{{{{?[.]?)?(?!(?:{'|'.join(TYPES)})\b){_KIND}{_REST}"),
        "a block",
        only="md",
    ),
    Foreign(".. ", line(rf"\.\.[ \t][a-z-]+::{_REST}"), "a directive", "write it as markdown"),
    Foreign(
        "::",
        line(r"::[a-z][\w-]*(?=[\[{ \t]|$)(?:\[[^\]\n]{0,200}\])?(?:\{[^}\n]{0,200}\})?"),
        "a directive",
        DIRECTIVE,
    ),
    Foreign("(", line(rf"\([\w-]+\)={_ALONE}"), "a label", ATTRIBUTES),
    Foreign(
        "|",
        line(rf"\|[ \t:|-]{{0,500}}?-[ \t]+-[ \t:|-]{{0,500}}{_ALONE}"),
        "no second line of a table",
        "write the dashes of each cell without blanks between them",
        ours=True,
    ),
    Foreign(
        "+++",
        line(r"\+\+\+[ \t]*\n[\w.-]+[ \t]*="),
        "frontmatter",
        "write it as YAML between `---` and `---`",
    ),
)
"""Blocks; of two that begin at one place the first counts."""

STATEMENTS = (
    Foreign(
        "import",
        line(
            r"""import[ \t]+(?P<part>[A-Z]\w{0,60})[ \t]+from[ \t]+"""
            r"""["'](?:@site)?(?P<src>[^"'\n]{1,200}/_[^"'/\n]{1,100}\.mdx?)["'];?[ \t]*$"""
        ),
        "a statement",
        'rename the file to `.mdx`, and in the place of `<{part} />` write `<Include src="{src}" />` '
        "(`extras: [includes]`)",
        only="md",
    ),
    Foreign(
        "import",
        line(r"""import[ \t]*(?:[\w*{][^;'"]{0,300}[\s}]from[ \t]+)?["'][^"'\n]{1,200}["'];?[ \t]*$"""),
        "a statement",
        "leave it out: components need no `import`",
        seen="import",
    ),
    Foreign(
        "export",
        line(rf"export[ \t]+(?:const|let|var|default|function|async)\b{_REST}"),
        "a statement",
        "leave it out, and write the value where it is used",
        seen="export",
    ),
)
"""Statements of JavaScript, where they are no statements."""
