"""Rewrite what plugins of MkDocs put in: documentation from docstrings, and references to names in it."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right

from builder.importer.page_work import PageWork
from builder.importer.source_links import parts_of, source_links

_CROSS = re.compile(r"\[(?P<text>(?:[^\[\]\\\n]|\\.){0,300})\]\[(?P<id>[\w.:/ -]{0,200})\]")
_DEFINED = re.compile(r"^[ ]{0,3}\[(?!\^)([^\]\n]+)\]:", re.MULTILINE)
_AUTODOC = re.compile(
    r"^(?P<indent>[ ]*):::[ ]+(?P<name>[\w.]+)[ ]*$(?P<options>(?:\n[ ]{4,}[^\n]*)*)", re.MULTILINE
)
_MEMBER = re.compile(r"^[ ]+-[ ]+([A-Za-z_]\w*)[ ]*$", re.MULTILINE)
_NAME = re.compile(r"#\w+\.[\w.]+$")
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
    """Lead links to names within documentation from docstrings to the page alone."""
    book = work.around.book
    if book is None:
        return
    if "mkdocstrings" not in work.around.site.syntax:
        return
    for link in source_links(work.rewriting.source):
        path, rest = parts_of(link.href)
        if not _NAME.match(rest):
            continue
        target = book.find(work.page, path) if path else None
        body = _body_of(work, target.file) if target is not None else "" if path else work.page.body
        if body.startswith("::: ") or "\n::: " in body:
            what = "anchor in documentation from docstrings"
            work.rewriting.tell(what, link.start, link.href, path, "changed")
            now = work.href(path, link.start) if path else f"./{posixpath.basename(work.page.file)}"
            work.rewriting.replace(link.start, link.end, link.written(now))


def _body_of(work: PageWork, new_file: str) -> str:
    """Return the body of the page that has a file in the new site."""
    book = work.around.book
    for page in work.around.site.pages:
        found = book.page(page.file) if book is not None else None
        if found is not None and found.file == new_file:
            return page.body
    return ""
