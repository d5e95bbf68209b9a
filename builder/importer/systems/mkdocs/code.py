"""Rewrite code on pages of MkDocs: the options of fences, remarks, marks of a language, diagrams."""

from __future__ import annotations

import re

from builder.importer.page_work import PageWork
from builder.importer.pieces import Piece

_INFO = re.compile(r"[ \t>]*(?P<ticks>`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)[ \t]*(?P<rest>[^\n]*)")
_OPTION = re.compile(r"(?P<name>[\w-]+)=(?:\"(?P<quoted>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s}]+))")
_REMARK = re.compile(r"\((\d{1,3})\)!")
_SHEBANG = re.compile(r"(`+)[ ]?(?:#!|:::)([\w+-]+)[ ]+(?=\S)")


def rewrite_code(work: PageWork) -> None:
    """Rewrite all code of a page."""
    for piece in work.rewriting.source.pieces:
        if piece.sort == "fence":
            _fence(work, piece)
            _remarks(work, piece)
        elif piece.sort == "code":
            found = _SHEBANG.match(work.rewriting.text, piece.start, piece.end)
            if found:
                work.rewriting.replace(found.end(1), found.end(), "")


def _fence(work: PageWork, piece: Piece) -> None:
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


def _remarks(work: PageWork, piece: Piece) -> None:
    """Keep the numbers of remarks in code; the list below has their texts."""
    for found in _REMARK.finditer(work.rewriting.text, piece.start, piece.end):
        work.rewriting.tell(
            "remark in code", found.start(), found[0], "a number; its text is below", "changed"
        )
        work.rewriting.replace(found.end() - 1, found.end(), "")
