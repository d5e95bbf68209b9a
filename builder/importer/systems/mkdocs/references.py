"""Rewrite what plugins of MkDocs put in: documentation from docstrings, and references to names in it."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from urllib.parse import unquote

from builder.importer.heading_ids import plain_heading
from builder.importer.page_work import PageWork
from builder.importer.source_links import parts_of, source_links
from builder.markdown.commonmark.slug import slugify

_CROSS = re.compile(r"\[(?P<text>(?:[^\[\]\\\n]|\\.){0,300})\]\[(?P<id>[\w.:/ -]{0,200})\]")
_DEFINED = re.compile(r"^[ ]{0,3}\[(?!\^)([^\]\n]+)\]:", re.MULTILINE)
_AUTODOC = re.compile(
    r"^(?P<indent>[ ]*):::[ ]+(?P<name>[\w.:-]{1,200})[ ]*$(?P<options>(?:\n(?P=indent)[ ]{4,}[^\n]*)*)",
    re.MULTILINE,
)
_MEMBER = re.compile(r"^[ ]+-[ ]+([A-Za-z_]\w*)[ ]*$", re.MULTILINE)
_HEADING = re.compile(r"^[ ]*#{1,6}[ \t]+([^\n]{1,500})$", re.MULTILINE)
_GIVEN = re.compile(r"\{:?[^{}\n]{0,200}?#([^\s={}]{1,200})")
_WRITTEN = re.compile(r"\b(?:id|name)=(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})')")
_LISTED = re.compile(r"members:[ ]*\[([^\]\n]*)\]")


def rewrite_references(work: PageWork) -> None:
    """Rewrite all that stands for documentation from docstrings."""
    work.rewriting.each(_AUTODOC, lambda found: _autodoc(work, found))
    _crossing(work)
    _anchors(work)


def _autodoc(work: PageWork, found: re.Match[str]) -> None:
    """Write the names that would be documented, each with its anchor."""
    name, options = found["name"], found["options"]
    listed = _LISTED.search(options)
    members = re.findall(r"[A-Za-z_]\w*", listed[1]) if listed else _MEMBER.findall(options)
    work.rewriting.tell("documentation from docstrings", found.start(), found[0], "its names stand for it")
    lines = [f'<a id="{name}"></a>`{name}`']
    lines += [f'- <a id="{name}.{each}"></a>`{each}`' for each in members]
    head, rest = lines[0], "\n".join(lines[1:])
    text = "\n\n".join(filter(None, (head, rest)))
    indent = found["indent"]
    work.rewriting.replace(found.start(), found.end(), indent + text.replace("\n", f"\n{indent}"))


def _crossing(work: PageWork) -> None:
    """Keep the text of references to names that plugins know."""
    text = work.rewriting.text
    defined = {name.casefold() for name in _DEFINED.findall(text)}
    code = [piece for piece in work.rewriting.source.pieces if piece.sort in {"fence", "code"}]
    starts = [piece.start for piece in code]
    has_plugin = bool(work.around.site.syntax & {"mkdocstrings", "autorefs"})
    for found in _CROSS.finditer(text):
        target = (found["id"] or found["text"]).casefold()
        before = bisect_right(starts, found.start()) - 1
        if target in defined or not found["text"] or (before >= 0 and found.start() < code[before].end):
            continue
        if has_plugin or "." in target or found["text"].startswith("`"):
            what = "reference to a documented name"
            work.rewriting.tell(what, found.start(), found[0], found["text"], "changed")
            work.rewriting.replace(found.start(), found.start() + 1, "")
            work.rewriting.replace(found.end("text"), found.end(), "")


def _anchors(work: PageWork) -> None:
    """Lead links to anchors that plugins and hooks made to the page alone."""
    book, syntax = work.around.book, work.around.site.syntax
    if book is None:
        return
    for link in source_links(work.rewriting.source):
        path, rest = parts_of(link.href)
        anchor = unquote(rest.partition("#")[2])
        if not anchor or "://" in path:
            continue
        target = book.find(work.page, path) if path else None
        page = book.source(target) if target is not None else None if path else work.page
        is_made = page is not None and ("hooks" in syntax or _AUTODOC.search(page.body))
        if page is not None and is_made and anchor not in _anchors_of(page.body):
            what = "anchor that a plugin made"
            work.rewriting.tell(what, link.start, link.href, path, "changed")
            now = work.href(path, link.start) if path else f"./{posixpath.basename(work.page.file)}"
            work.rewriting.replace(link.start, link.end, link.written(now))


@lru_cache(128)
def _anchors_of(body: str) -> frozenset[str]:
    """Return the anchors that the text of a page has itself."""
    found = set(_GIVEN.findall(body))
    found.update(each for pair in _WRITTEN.findall(body) for each in pair if each)
    for heading in _HEADING.finditer(body):
        plain = plain_heading(heading[1])
        found |= {anchor_of(plain), unicode_anchor_of(plain), slugify(plain)}
    return frozenset(found)


def anchor_of(text: str) -> str:
    """Return the anchor of a heading as Python-Markdown writes it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def unicode_anchor_of(text: str) -> str:
    """Return the anchor of a heading as the extensions of pymdownx write it."""
    return re.sub(r"[ \t]", "-", re.sub(r"[^\w\- \t]", "", text).strip().lower())
