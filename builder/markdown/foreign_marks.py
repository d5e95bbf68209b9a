"""Forms of other systems within running text: braces, signs around words, references.

They are those of MkDocs with its extensions, Hugo, Jekyll, GitBook, mdBook, Obsidian, MyST and remark. What
is between braces is an expression in `mdx`, and told as such.
"""

from __future__ import annotations

import re

from builder.lazy_regex import lazy
from builder.markdown.foreign_form import Foreign, line
from builder.markdown.foreign_lines import ATTRIBUTES, DIRECTIVE, INCLUDE

SIGNS = lazy(
    r"\{(?=[{%!*#/+=>~:.-]|[ \t]+[.#]|[ \t]*[\w-]+=)|\}(?=`)|\+(?=\+[\w+-]{1,80}\+\+)"
    r"|=(?==[^\s=][^=\n]{0,200}==)|\^(?=[\[^]|[^\s^]{1,20}\^)|~(?=\w{1,20}~)|\\(?=\\[(\[])"
    r"|\$(?=\$|[^\s$][^$\n]{0,160}\$)|:(?=[a-z+-][\w+-]{0,60}[:\[])|\[(?=\[)|\](?=\[|\(\)\{)"
    r"|#(?=only-|gh-)|`(?=#!)"
)
"""The first character of what may stand anywhere in a text."""

_LETTERS = r"(?:[A-Za-z]'?(?:\([A-Za-z\d, ]{1,20}\))?|(?<!\$)\d{1,9})"
_STANDS_FOR = "write what it stands for"
_VALUE = "write the value; on `.mdx` pages, `%{{name}}` stands for one of `variables` in `site.yml`"
_LINK = "write a link: `[text](address)`"
_ROLE = "write what it stands for, such as a link"
_LIGHT = '{switch} and write `<Frame dark="...">` around the light one'


_ADDRESS = lazy(r"https?://[^\s()<>{}]{0,300}\{\{[^{}\n]{1,200}\}\}[^\s()<>]{0,300}")


def _of_light(sign: str, fragment: str) -> Foreign:
    """An image whose address ends with a fragment that says in which light it is shown."""
    pattern = lazy(rf"(?<=\]\()[^()\s]{{1,300}}{fragment}\b")
    return Foreign(
        sign, pattern, "an image for one kind of light", _LIGHT, needs="frame", shown="image", seen=""
    )


BRACES = (
    Foreign(
        "{{#",
        lazy(r"\{\{#(?:rustdoc_)?(?:include|playground)[^}\n]{0,200}\}\}"),
        "an include",
        INCLUDE,
        needs="includes",
        only="md",
    ),
    Foreign(
        "{{", lazy(r"\{\{[<%][^\n]{0,300}?[>%]\}\}"), "a shortcode", _STANDS_FOR, only="md", everywhere=True
    ),
    Foreign(
        "{{",
        lazy(r"(?:(?<!\]\()|(?=\{\{-?[ \t]))\{\{-?[ \t]*\w[^{}\n]{0,200}\}\}"),
        "a value of a template language",
        _VALUE,
        seen="}}",
        only="md",
        everywhere=True,
    ),
    Foreign(
        "{{",
        lazy(r"\{\{[#/^>&][ \t]*\w[^{}\n]{0,200}\}\}"),
        "a tag of a template language",
        _STANDS_FOR,
        only="md",
        everywhere=True,
    ),
    Foreign(
        "{%",
        lazy(r"\{%[-+]?[ \t]*/?\w[^%]{0,300}%\}"),
        "a tag of a template language",
        _STANDS_FOR,
        only="md",
        everywhere=True,
    ),
    Foreign(
        "{", line(r"\{[!*]>? *[\w./][^\n]{0,200}?[!*]\}"), "an include", INCLUDE, needs="includes", only="md"
    ),
    Foreign("{#", lazy(r"\{#[ \t][^\n]{0,200}?#\}"), "a comment", "write `<!-- ... -->`", only="md"),
    Foreign("{/*", lazy(r"\{/\*[^*]{0,300}\*/\}"), "a comment", "write `<!-- ... -->`", only="md"),
    Foreign(
        "{",
        lazy(r"\{(?P<sign>--|\+\+|==|>>|~~)[^{}\n]{1,300}?(?:--|\+\+|==|<<|~~)\}"),
        "a mark of an editor",
        "write `<del>` and `<ins>`, or `<!-- ... -->`",
        only="md",
    ),
    Foreign(
        "](){",
        lazy(r"\[\]\(\)\{:?[ \t]*#(?P<id>[\w.-]{1,100})[ \t]*\}"),
        "an anchor",
        'write `<a id="{id}"></a>`',
        seen="{",
        only="md",
    ),
    Foreign(
        "{",
        lazy(
            r"\{(?::[ \t]*[#.\w][^{}\n]{0,200}|[ \t]*\.[\w-][^{}\n]{0,200}|[ \t]*#[\w.-]+[ \t]*)\}"
            r"|(?:(?<=[)\]`])|(?<![^\n]))\{[ \t]*[\w-]+=[^{}\n]{0,200}\}"
            r"|(?<=[ \t])\{[ \t]*data-[^{}\n]{0,200}\}"
        ),
        "a list of attributes",
        ATTRIBUTES,
        only="md",
    ),
    Foreign("}`", lazy(r"\{[a-z][\w:+-]{0,60}\}(?=`)"), "a role", _ROLE),
    Foreign(":", lazy(r":(?<![\w:]:)[a-z][\w:+-]{0,60}:(?=`)"), "a role", _ROLE),
)
"""Forms with braces; `mdx` leaves most of them out, and tells of that."""

MARKS = (
    Foreign(
        "++",
        lazy(r"\+\+(?<![\w+]\+\+)[a-z0-9]+(?:[-+][a-z0-9]+){0,9}\+\+(?![\w+])", re.IGNORECASE),
        "a key",
        "write `<kbd>`, or {switch}",
        needs="keys",
        extra="keys",
    ),
    Foreign(
        "==",
        lazy(r"==(?<![\w=]==)(?=[^\s=])(?:[^=\n]{0,200}[^\s=]|[^\s=])==(?![\w=])"),
        "marked text",
        "write `<mark>`",
    ),
    Foreign(
        "^^", lazy(r"(?<![\w^])\^\^(?=\S)[^^\n]{1,200}(?<=\S)\^\^(?![\w^])"), "inserted text", "write `<ins>`"
    ),
    Foreign("^", lazy(r"(?<=[\w)])\^[^\s^\[\](){}]{1,20}\^(?![\w^])"), "raised text", "write `<sup>`"),
    Foreign("~", lazy(r"(?<=\w)~\w{1,20}~(?!~)"), "lowered text", "write `<sub>`", shown="s_open", seen=""),
    Foreign(
        "^[",
        lazy(r"\^\[[A-Za-z][^\[\]\n]{0,200} [^\[\]\n]{0,200}\]"),
        "a footnote within the text",
        "write `[^1]`, and a line `[^1]: ...`",
    ),
    Foreign("$$", lazy(r"\$\$[^$]{1,2000}\$\$"), "a formula", "{switch}", needs="math", extra="math"),
    Foreign(
        "$",
        lazy(
            r"\$(?<![\w$\\]\$)(?:(?=[^\s$])[^$\n]{0,80}(?:\\[A-Za-z]|[\^_][{\w])[^$\n]{0,80}(?<=\S)"
            rf"|{_LETTERS}(?:[ ]?[-+*/=<>,|][ ]?{_LETTERS}){{0,10}})\$(?![\w$])"
        ),
        "a formula",
        "{switch}",
        needs="math",
        extra="math",
    ),
    Foreign(
        "\\\\(",
        lazy(r"\\\\\([^\n]{1,400}?\\\\\)"),
        "a formula",
        "write `$...$` and {switch}",
        needs="math",
        seen="\\(",
    ),
    Foreign(
        "\\\\[",
        line(r"\\\\\[[^\n]{1,400}?\\\\\]"),
        "a formula",
        "write `$$...$$` and {switch}",
        needs="math",
        seen="\\[",
    ),
    Foreign(
        ":",
        lazy(r":(?:material|fontawesome|octicons|simple)-[a-z0-9-]+:"),
        "an icon",
        "write `:icon-name:` with a name of the page Icons, or leave it out",
        mdx=True,
    ),
    Foreign(
        ":",
        lazy(r":(?<![\w:/.-]:)(?!icon-)(?:[a-z][a-z0-9_+-]{1,40}|[ox]|[+-]1):(?![\w:/`])"),
        "an emoji by its name",
        "write the character itself",
        everywhere=True,
    ),
    Foreign(
        ":",
        lazy(r"(?<![\w:\[(/]):[a-z][\w-]{0,40}\[[^\[\]\n]{1,200}\](?:\{[^{}\n]{0,200}\})?"),
        "a directive",
        DIRECTIVE,
    ),
)
"""Signs around words."""

REFERENCES = (
    Foreign(
        "{{", _ADDRESS, "an address with a value of a template language", _VALUE, shown="link_open", seen=""
    ),
    Foreign("{{", _ADDRESS, "an address with a value of a template language", _VALUE, seen="}}"),
    Foreign(
        "[[",
        lazy(r"!?\[\[(?!_?toc_?\]|\d)[^\s\[\],|][^\[\],\n]{3,200}\]\](?!\()", re.IGNORECASE),
        "a link to a page by its name",
        _LINK,
    ),
    Foreign(
        "][",
        lazy(r"(?<![\w\]])\[[^\[\]\n]{1,200}\]\[(?:[A-Za-z_]\w*(?:\.\w+)+)?\]"),
        "a reference to code",
        _LINK,
        seen="][",
    ),
    Foreign(
        "][",
        lazy(
            r"\[(?<![\w\]]\[)(?:[^\[\]<\n]{4,200}\]\[[A-Za-z_][\w-]{2,100}"
            r"|[^\[\]<\n]{1,200}\]\[[A-Za-z_][\w-]{0,60} [\w -]{1,100}"
            r"|`[^`\[\]\n]{1,200}`\]\[[^\[\]\n]{1,200})\]"
        ),
        "a reference that nothing on the page defines",
        _LINK,
        seen="][",
        ours=True,
    ),
    _of_light("#only-", "#only-(?:dark|light)"),
    _of_light("#gh-", "#gh-(?:dark|light)-mode-only"),
    Foreign(
        "`#!",
        lazy(r"(?<!`)`#![a-z][\w+-]*[ \t]+(?P<code>[^`\n]{1,200})`(?!`)"),
        "code with its language",
        "leave out the language: `{code}`",
        shown="code_inline",
        seen="#!",
    ),
)
"""Links, images and code."""

ICON = Foreign(
    ":",
    lazy(r":icon-[a-z0-9-]{1,60}:"),
    "an icon",
    "write it in the text: attributes are plain text",
    everywhere=True,
    ours=True,
)
"""An icon of ours in an attribute."""
