"""Rewrite pages of MkDocs: the story of one page."""

from __future__ import annotations

import re
import unicodedata

from builder.importer.heading_ids import keep_anchors
from builder.importer.page_work import PageWork
from builder.importer.systems.mkdocs.attributes import rewrite_attributes
from builder.importer.systems.mkdocs.blocks import rewrite_blocks
from builder.importer.systems.mkdocs.code import rewrite_code
from builder.importer.systems.mkdocs.grids import rewrite_grids
from builder.importer.systems.mkdocs.inline import rewrite_inline
from builder.importer.systems.mkdocs.references import rewrite_references

_EXPRESSION = re.compile(r"\{\{[^{}\n]*\}\}|\{%[^\n%{]*%\}|\{#[ ][^\n{}]*[ ]#\}")
_TOC = re.compile(r"^[ ]*\[TOC\][ ]*$\n?", re.MULTILINE)
_INCLUDE = re.compile(r"^[ ]*-{1,}8<-{1,}[^\n]*$", re.MULTILINE)
_HEADING = re.compile(r"h([1-6])$")


def rewrite(work: PageWork) -> None:
    """Rewrite a page of MkDocs."""
    rewriting = work.rewriting
    rewrite_grids(work)
    rewrite_blocks(work)
    rewrite_code(work)
    rewrite_attributes(work)
    rewrite_references(work)
    rewriting.each(_TOC, lambda found: rewriting.replace(found.start(), found.end(), ""))
    rewriting.each(_INCLUDE, lambda found: _gone(work, found))
    rewriting.each(_EXPRESSION, lambda found: _expression(work, found))
    rewrite_inline(work)
    keep_anchors(work, _unicode_slug if "slugify" in work.around.site.syntax else _slug)
    if work.placed is not None and work.placed.format == "mdx":
        _headings(work)


def _slug(text: str) -> str:
    """Return the anchor of a heading as Python-Markdown writes it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def _unicode_slug(text: str) -> str:
    """Return the anchor of a heading as the extensions of pymdownx write it."""
    return re.sub(r"[ \t]", "-", re.sub(r"[^\w\- \t]", "", text).strip().lower())


def _gone(work: PageWork, found: re.Match[str]) -> None:
    work.rewriting.tell("include of a file that is not there", found.start(), found[0].strip())
    work.rewriting.replace(found.start(), found.end(), "")


def _expression(work: PageWork, found: re.Match[str]) -> None:
    work.rewriting.tell("template expression", found.start(), found[0])
    work.rewriting.remove_lines(found.start(), found.end())


def _headings(work: PageWork) -> None:
    """Write headings that are tags with text in them as markdown has them."""
    for piece in work.rewriting.source.pieces:
        if piece.tag is None or piece.tag.kind != "open" or piece.close is None:
            continue
        level = _HEADING.match(piece.tag.name)
        inner = work.rewriting.inner(piece)
        if (
            level
            and "\n" not in inner
            and work.rewriting.indent(piece.start) == ""
            and _alone(work, *piece.whole)
        ):
            work.rewriting.replace(piece.start, piece.end, f"{'#' * int(level[1])} ")
            work.rewriting.replace(*piece.close, "")


def _alone(work: PageWork, start: int, end: int) -> bool:
    text = work.rewriting.text
    return text[text.rfind("\n", 0, start) + 1 : start] == "" and not text[end:].split("\n", 1)[0].strip()
