"""Find the words that readers saw on an old page and do not see on the new one.

The words of the source are taken without looking at what the importer understands: all that stands outside
of tags, comments, statements and expressions, code as it is, and the texts in attributes. Those of the new
page are the words of its HTML. A word that was there more often than it is now is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from html.parser import HTMLParser

from builder.importer.old_site import Loss, OldPage
from builder.importer.pieces import SourceText

_WORD = re.compile(r"[^\W_]+")
_SHOWN = frozenset({
    "alt", "caption", "description", "heading", "headline", "label", "subtitle", "summary", "text", "tip",
    "title", "header",
})  # fmt: skip
"""Attributes whose text readers see."""
_NAMED = frozenset({"ParamField", "ResponseField", "Param", "Property", "File", "Folder"})
"""Tags whose `name` readers see."""
_UNSEEN = frozenset({"script", "style", "template", "head"})
_DESTINATION = re.compile(
    r"\]\((?:[^()\s]|\([^()\s]*\))*|\]\[[^\]\n]*\]|\[\^[^\]\n]+\]:?|"
    r"^[ \t>]*\[(?!\^)[^\]\n]+\]:(?:[ \t]*\n[ \t]*\S+|[^\n]*)|<https?:[^>\s]*>|https?://[^\s)>\]]*",
    re.MULTILINE,
)
_MENTION = re.compile(
    r"\[[^\[\]\n]*\]\([^()\n]*[ ]\"mention\"\)|\[[^\[\]\s]*\.md\]\([^()\n]*\)|\[\[(?:toc|TOC)\]\]"
)
_SIGNS = re.compile(r"[\[\]()<>:{}]")
_UNWRITTEN = re.compile(
    r"^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+\[[ xX]\]|:[a-z][\w+-]*:|"
    r"_\([^\n]{0,500}?_\)|_\[[^\0]{0,2000}?_\]|\$\$[^$]{0,2000}\$\$|"
    r"^:::[ ]+[\w.]+[ ]*\n(?=[ ]{4}(?:options|handler|selection|rendering):)(?:[ ]{4}[^\n]*\n|[ ]{0,3}\n)*",
    re.MULTILINE,
)
"""Text that no reader sees as it is: boxes, icons, formulas, options of docstrings."""
_OPENING = re.compile(
    r"^[ \t>]*(?:(?:!!!|\?\?\?\+?|:::+|///+|===)[ \t]*[\w-]*|\d+[.)](?=[ \t])|[-*+][ \t]+\[[xX]\]|"
    r"\[![A-Za-z]+\])",
    re.MULTILINE,
)
"""What begins a block: its type, which readers see as a label at most, and the number of an item."""
_MAGIC = re.compile(
    r"(?://|#|/\*|<!--|\{/\*)[ \t]*(?:highlight|add|remove|prettier)-[\w-]+|\{\{#[^{}\n]*\}\}|"
    r"(?://|#|/\*|<!--)[ \t]*\[!code [^\]\n]*\]"
)
_BLOCK = re.compile(r"\{%(?:[^%\n]|%(?!\})){0,2000}%\}")
_GIVEN = re.compile(r"\b(?:title|summary|description|name|label)=\"([^\"\n]*)\"")
_ATTRIBUTES = re.compile(
    r"\{[#.:][^{}\n]*\}|(?<=[)\]`*])\{[^{}\n]*\}|^[ \t>]*<<<[^\n]*$|\[\[toc\]\]"
    r"|(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])",
    re.MULTILINE | re.IGNORECASE,
)
_MOST_SHOWN = 12
"""Words of one page that the report names."""


class _Text(HTMLParser):
    """Collects the text of a page's content."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._part(tag)
        self._hidden += tag in _UNSEEN
        self.found += [f" {value} " for name, value in attrs if name in {"alt", "title", "content"} and value]

    def handle_endtag(self, tag: str) -> None:
        self._part(tag)
        self._hidden -= tag in _UNSEEN

    def _part(self, tag: str) -> None:
        """Part words at a tag, but for those of colours in code: `5i32` is one word."""
        if tag != "span":
            self.found.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append(data)


def words_of_html(html: str) -> Counter[str]:
    """Count the words that a page shows."""
    parser = _Text()
    parser.feed(html)
    return _words("".join(parser.found))


def words_of_source(page: OldPage) -> Counter[str]:
    """Count the words that the source of a page shows."""
    source = SourceText.of(page.body, is_mdx=page.is_mdx)
    return _words(" ".join(_shown(source)))


def _shown(source: SourceText) -> Iterator[str]:
    """Yield the prose with the code in it, without destinations; then the texts of attributes."""
    prose = _BLOCK.sub(_given, _MENTION.sub(" ", "".join(_prose(source))))
    for unseen in (_DESTINATION, _UNWRITTEN, _ATTRIBUTES, _OPENING):
        prose = unseen.sub(" ", prose)
    yield unescape(prose)
    for piece in source.pieces:
        if piece.tag is not None and piece.tag.kind != "close":
            shown = _SHOWN | {"name"} if piece.tag.name in _NAMED else _SHOWN
            yield from (
                one.value for one in piece.tag.attributes if one.name in shown and isinstance(one.value, str)
            )


def _given(block: re.Match[str]) -> str:
    """Return the texts that a block of a template language is given."""
    return f" {' '.join(_GIVEN.findall(block[0]))} "


def _prose(source: SourceText) -> Iterator[str]:
    """Yield the text in order; signs of markdown in code are blanks."""
    text, pos = source.text, 0
    for piece in source.pieces:
        yield text[pos : max(pos, piece.start)]
        if piece.tag is not None and piece.tag.name == "include" and piece.close:
            pos = max(pos, piece.close[1])  # it names a file
        inner = text[piece.start : piece.end]
        if piece.sort == "fence":
            yield _SIGNS.sub(" ", _MAGIC.sub(" ", inner.partition("\n")[2]))
        elif piece.sort == "code":
            yield _SIGNS.sub(" ", inner)
        elif piece.sort == "escape":
            yield f"_{inner[1:] if inner[1:].isalnum() else ''}"  # no blank: it would end a destination
        else:
            yield " "
        pos = max(pos, piece.end)
    yield text[pos:]


def _words(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in _WORD.findall(text))


def lost_words(page: OldPage, html: str, told: Iterable[Loss]) -> Loss | None:
    """Return the words that went and that no loss of the page has told; None where there are none."""
    gone = words_of_source(page) - words_of_html(html)
    for loss in told:
        gone -= _words(loss.old)
    if not gone:
        return None
    first = min(_lines(page, gone), default=page.first_line)
    shown = " ".join(word for word, _ in sorted(gone.items())[:_MOST_SHOWN])
    more = f" and {len(gone) - _MOST_SHOWN} more" if len(gone) > _MOST_SHOWN else ""
    return Loss("words that are not on the page", page.file, first, f"{shown}{more}")


def _lines(page: OldPage, gone: Mapping[str, int]) -> Iterator[int]:
    for number, line in enumerate(page.body.split("\n")):
        if any(word in gone for word in _words(line)):
            yield page.lines[number] if number < len(page.lines) else page.first_line + number
