"""Rewrite pages of MkDocs: the story of one page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from builder.importer.heading_ids import keep_anchors
from builder.importer.html_elements import rewrite_html
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.systems.embedded_media import MEDIA
from builder.importer.systems.mkdocs.attribute_lists import rewrite_attributes
from builder.importer.systems.mkdocs.blocks import rewrite_blocks
from builder.importer.systems.mkdocs.grids import rewrite_grids
from builder.importer.systems.mkdocs.mkdocs_inline import rewrite_inline
from builder.importer.systems.mkdocs.page_templates import FILLING
from builder.importer.systems.mkdocs.references import anchor_of, rewrite_references, unicode_anchor_of
from builder.importer.tag_rules import TagRules

_EXPRESSION = re.compile(r"\{\{[^{}\n]*\}\}|\{%[^\n%{]*%\}|\{#[ ][^\n{}]*[ ]#\}")
_TOC = re.compile(r"^[ ]*\[TOC\][ ]*$\n?", re.MULTILINE)
_INCLUDE = re.compile(r"^[ ]*-{1,}8<-{1,}[^\n]*$", re.MULTILINE)
_REWRITTEN = frozenset({"a", "figure", "div", "img"})
"""Elements that have been rewritten before others are."""


def rewrite(work: PageWork) -> None:
    """Rewrite a page of MkDocs."""
    rewriting = work.rewriting
    _embeds(work)
    rewrite_grids(work)
    rewrite_blocks(work)
    rewrite_code(work)
    rewrite_attributes(work)
    rewrite_references(work)
    rewriting.each(_TOC, lambda found: rewriting.replace(found.start(), found.end(), ""))
    rewriting.each(_INCLUDE, lambda found: _gone(work, found))
    if work.around.site.syntax & {*FILLING, "hooks"}:
        rewriting.each(_EXPRESSION, lambda found: _expression(work, found))
    rewrite_inline(work)
    keep_anchors(work, unicode_anchor_of if "slugify" in work.around.site.syntax else anchor_of, "_")
    rewrite_html(work, _REWRITTEN)


def _embeds(work: PageWork) -> None:
    """Write what a page shows from other sites as pages here have it."""
    tags = TagRules(work, {}, {})
    for piece in work.rewriting.source.pieces:
        if piece.tag is not None and piece.tag.name == "iframe" and piece.tag.kind != "close":
            line = work.rewriting.text.rfind("\n", 0, piece.start) + 1
            if not work.rewriting.text[line : piece.start].strip():
                work.rewriting.replace(line, piece.start, "")  # indented, it would be code
            MEDIA["iframe"].act(tags, piece, piece.tag)


def _gone(work: PageWork, found: re.Match[str]) -> None:
    work.rewriting.tell("include of a file that is not there", found.start(), found[0].strip())
    work.rewriting.replace(found.start(), found.end(), "")


def _expression(work: PageWork, found: re.Match[str]) -> None:
    work.rewriting.tell("template expression", found.start(), found[0])
    work.rewriting.remove_lines(found.start(), found.end())


_INFO = re.compile(
    r"[ \t>]*(?P<ticks>`{3,}|~{3,})[ \t]*(?P<lang>(?:[\w#+.-]+(?![\w#+.=-]))?)[ \t]*(?P<rest>[^\n]*)"
)
_OPTION = re.compile(r"(?P<name>[\w-]+)=(?:\"(?P<quoted>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s}]+))")
_REMARK = re.compile(r"\((\d{1,3})\)!")
_COLOURED = re.compile(r"<(?:font|span) (?:color|style)=")
_COLOUR = re.compile(r"</?(?:font|span|b|u|i)(?:[ ][^<>\n]{0,200})?>")
_LINE_IN_CODE = re.compile(r"(?<!\\)\|")
_SHEBANG = re.compile(r"(`+)[ ]?(?:#!|:::)([\w+-]+)[ ]+(?=\S)")


def rewrite_code(work: PageWork) -> None:
    """Rewrite all code of a page."""
    rows = list(_rows(work.rewriting.text))
    for piece in work.rewriting.source.pieces:
        if piece.sort == "fence":
            _fence(work, piece)
            _remarks(work, piece)
            _colours(work, piece)
        elif piece.sort == "code":
            found = _SHEBANG.match(work.rewriting.text, piece.start, piece.end)
            if found:
                work.rewriting.replace(found.end(1), found.end(), "")
            before = bisect_right(rows, (piece.start, len(work.rewriting.text))) - 1
            if before >= 0 and piece.start < rows[before][1]:
                _cell(work, piece)


def _rows(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the rows of tables are, each line from its start to its end, without the heads."""
    pos, is_table = 0, False
    for line in text.split("\n"):
        is_row = "|" in line
        if is_row and is_table:
            yield pos, pos + len(line)
        is_table = is_row and (is_table or ("-" in line and not line.strip(" \t>|:-")))
        pos += len(line) + 1


def _cell(work: PageWork, piece: SourcePiece) -> None:
    """Escape the lines within code in a cell, where they would part cells here."""
    for found in _LINE_IN_CODE.finditer(work.rewriting.text, piece.start, piece.end):
        work.rewriting.insert(found.start(), "\\")


def _fence(work: PageWork, piece: SourcePiece) -> None:
    """Write the options of a fence as they are written here."""
    text = work.rewriting.text
    found = _INFO.match(text, piece.start)
    if found is None:
        return
    rest, language = found["rest"].strip(), found["lang"]
    named = re.match(r"\{\s*\.([\w+#-]+)", rest)
    language = language or (named[1] if named else "")
    if language == "mermaid":
        work.rewriting.extras.add("diagrams")
        work.needs_mdx = True
    if not rest:
        return
    options = {
        one["name"]: one["quoted"] or one["single"] or one["bare"] or "" for one in _OPTION.finditer(rest)
    }
    shown = " ".join(filter(None, _parts(language, options)))
    work.rewriting.replace(found.start("lang"), found.end("rest"), shown)


def _parts(language: str, options: dict[str, str]) -> list[str]:
    parts = [language or ("text" if options else "")]
    if lines := options.get("hl_lines"):
        parts.append(f"{{{','.join(lines.replace(',', ' ').split())}}}")
    if "linenums" in options:
        parts.append("showLineNumbers")
    if title := options.get("title"):
        parts.append(f'title="{title}"')
    return parts


def _colours(work: PageWork, piece: SourcePiece) -> None:
    """Leave out the tags that colour the output of a terminal."""
    inner = work.rewriting.text[piece.start : piece.end]
    if not inner.lstrip("`~ ").startswith(("console", "bash", "sh")) or not _COLOURED.search(inner):
        return
    for found in _COLOUR.finditer(work.rewriting.text, piece.start, piece.end):
        work.rewriting.tell("colours of a terminal", found.start(), found[0], "plain text", "changed")
        work.rewriting.replace(found.start(), found.end(), "")


def _remarks(work: PageWork, piece: SourcePiece) -> None:
    """Keep the numbers of remarks in code; the list below has their texts."""
    for found in _REMARK.finditer(work.rewriting.text, piece.start, piece.end):
        work.rewriting.tell(
            "remark in code", found.start(), found[0], "a number; its text is below", "changed"
        )
        work.rewriting.replace(found.end() - 1, found.end(), "")


_FENCE_LINE = re.compile(r"(?P<before>[ >]*)(?P<marks>`{3,}|~{3,})(?P<rest>[^\n]*)$")


def longer_fences(text: str) -> str:
    """Return a text whose fences end where they did: at marks as far to the right as those that begin them.

    Here marks with other indentation end one too, so that a fence round indented ones gets more marks.
    """
    lines, number = text.split("\n"), 0
    closings: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        if line.rstrip().endswith(("```", "~~~")):
            closings.setdefault(line.rstrip(), []).append(at)
    while number < len(lines):
        opening = _FENCE_LINE.match(lines[number])
        if opening is None or "`" in opening["rest"]:
            number += 1
            continue
        ends = closings.get(f"{opening['before']}{opening['marks']}", [])
        after = bisect_right(ends, number)
        number = _lengthened(lines, number, ends[after], opening) if after < len(ends) else number + 1
    return "\n".join(lines)


def _lengthened(lines: list[str], first: int, end: int, opening: re.Match[str]) -> int:
    """Write the marks of a fence anew where they must be longer; return the line after it."""
    inner = [found for line in lines[first + 1 : end] if (found := _FENCE_LINE.match(line))]
    longest = max((len(each["marks"]) for each in inner if not each["rest"].strip()), default=0)
    if longest >= len(opening["marks"]):
        marks = opening["marks"][0] * (longest + 1)
        lines[first] = f"{opening['before']}{marks}{opening['rest']}"
        lines[end] = f"{opening['before']}{marks}"
    return end + 1
