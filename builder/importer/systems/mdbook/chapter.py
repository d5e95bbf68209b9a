"""Rewrite a chapter of mdBook: what it includes, lists of attributes, formulas, code.

Forms: https://rust-lang.github.io/mdBook/format/mdbook.html.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right

from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece

_MACRO = re.compile(r"(?P<escape>\\)?\{\{#(?P<name>\w+)[ \t]*(?P<rest>[^}\n]{0,500}?)[ \t]{0,20}\}\}")
_HEADING_LIST = re.compile(r"^(#{1,6}[ \t][^\n]*?)[ \t]*\{(?P<list>[^{}\n]*)\}[ \t]*$", re.MULTILINE)
_ID = re.compile(r"(?:^|\s)#([^\s.#{}]+)")
_TEX = re.compile(r"\\\\\((?P<inline>[^\n]{1,500}?)\\\\\)|\\\\\[(?P<block>.{1,3000}?)\\\\\]", re.DOTALL)
_DEFINITION = re.compile(r"^[ ]{0,3}:[ \t]+\S", re.MULTILINE)
_ANCHOR = re.compile(r"^.*\bANCHOR(?P<end>_END)?:[ \t]*(?P<name>[\w-]+).*$", re.MULTILINE)
_HIDDEN = re.compile(r"^[ \t>]*#(?:[ \t][^\n]*)?$\n?", re.MULTILINE)
_TWICE = re.compile(r"^([ \t>]*#)#", re.MULTILINE)
_RUST = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*rust\b")


def rewrite(work: PageWork) -> None:
    """Rewrite all forms of a chapter."""
    _Chapter(work).rewrite()


class _Chapter:
    """A chapter that is rewritten."""

    def __init__(self, work: PageWork) -> None:
        self._work = work
        self._rewriting = work.rewriting
        pieces = work.rewriting.source.pieces
        self._code = [(one.start, one.end) for one in pieces if one.sort in {"fence", "code"}]

    def rewrite(self) -> None:
        """Rewrite all forms of the book's own."""
        for found in _MACRO.finditer(self._rewriting.text):
            self._macro(found)
        if "mathjax" in self._work.around.site.syntax:
            for found in _TEX.finditer(self._rewriting.text):
                self._formula(found)
        for piece in self._rewriting.source.pieces:
            if piece.sort == "fence":
                self._fence(piece)
        self._rewriting.each(_HEADING_LIST, self._heading)
        self._rewriting.each(_DEFINITION, lambda _: self._extra("definition-lists"))

    def _extra(self, name: str) -> None:
        self._rewriting.extras.add(name)
        self._work.needs_mdx = True

    def _macro(self, found: re.Match[str]) -> None:
        rewriting, name = self._rewriting, found["name"]
        if found["escape"]:
            rewriting.replace(found.start(), found.start() + 1, "")
        elif name == "title":
            rewriting.remove_lines(found.start(), found.end())
        elif name in {"include", "rustdoc_include", "playground", "playpen"} and found["rest"]:
            self._include(found, name)

    def _include(self, found: re.Match[str], name: str) -> None:
        """Put in what a file holds; a text that has no chapter of its own becomes a part."""
        target, _, rest = found["rest"].split()[0].partition(":")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(self._work.page.file), target))
        text = self._work.around.origin.text(file)
        if text is None:
            self._rewriting.tell("include of a file that is not there", found.start(), found[0])
            return
        start, end = found.span()
        if file.endswith(".md") and not rest and self._is_block(start, end) and self._is_part(file, text):
            self._rewriting.replace(start, end, f'<Include src="{self._work.part(file)}" />')
            return
        text = _without_anchors(_lines(text, rest)).rstrip("\n")
        if name == "rustdoc_include" or self._is_rust(start):
            text = _TWICE.sub(r"\1", _HIDDEN.sub("", f"{text}\n")).rstrip("\n")
        if name in {"playground", "playpen"}:
            text = f"```rust\n{text}\n```"
        indent = self._rewriting.indent(start)
        self._rewriting.replace(start, end, text.replace("\n", f"\n{indent}"))

    def _is_block(self, start: int, end: int) -> bool:
        """Return whether an include is alone on its line, and not in code."""
        text = self._rewriting.text
        line = text[text.rfind("\n", 0, start) + 1 : start], text[end:].partition("\n")[0]
        return not self._in_code(start) and not "".join(line).strip()

    def _in_code(self, at: int) -> bool:
        before = bisect_right(self._code, (at, len(self._rewriting.text))) - 1
        return before >= 0 and at < self._code[before][1]

    def _is_rust(self, at: int) -> bool:
        pieces = (piece for piece in self._rewriting.source.pieces if piece.sort == "fence")
        return any(
            piece.start <= at < piece.end and bool(_RUST.match(self._rewriting.text, piece.start))
            for piece in pieces
        )

    def _is_part(self, file: str, text: str) -> bool:
        """Return whether a file can be a part: it is no chapter, and its links are the same from there."""
        is_chapter = any(page.file == file for page in self._work.around.site.pages)
        here, there = posixpath.dirname(self._work.page.file), posixpath.dirname(file)
        return not is_chapter and (here == there or "](" not in text)

    def _heading(self, found: re.Match[str]) -> None:
        id_ = _ID.search(found["list"])
        start = found.start("list") - 1
        if id_ is None:
            self._rewriting.tell("list of attributes", start, found["list"].strip())
        self._rewriting.replace(start, found.end("list") + 1, f"{{#{id_[1]}}}" if id_ else "")

    def _formula(self, found: re.Match[str]) -> None:
        if self._in_code(found.start()):
            return
        tex = found["inline"] or found["block"]
        self._extra("math")
        sign = "$" if found["inline"] else "$$"
        self._rewriting.replace(found.start(), found.end(), f"{sign}{tex.strip()}{sign}")

    def _fence(self, piece: SourcePiece) -> None:
        text = self._rewriting.text
        end = text.find("\n", piece.start)
        info = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*").match(text, piece.start)
        words = text[info.end() : end] if info and end > 0 else ""
        if _RUST.match(text, piece.start):
            self._hidden(piece, end)
        if info and "," in words:
            self._rewriting.replace(info.end(), end, words.split(",")[0].strip())

    def _hidden(self, piece: SourcePiece, begin: int) -> None:
        """Leave out the lines that readers do not see at first."""
        text = self._rewriting.text
        hidden = list(_HIDDEN.finditer(text, begin + 1, piece.end))
        if hidden:
            old = "".join(found[0] for found in hidden).strip()
            self._rewriting.tell("hidden line of code", hidden[0].start(), old)
        for found in hidden:
            self._rewriting.replace(found.start(), found.end(), "")
        for found in _TWICE.finditer(text, begin + 1, piece.end):
            self._rewriting.replace(found.end() - 1, found.end(), "")


def _lines(text: str, rest: str) -> str:
    """Return the part of a text that `:anchor`, `:3`, `:3:9`, `:3:` or `::9` names."""
    first, colon, last = rest.partition(":")
    if not rest:
        return text
    lines = text.split("\n")
    if first and not first.isdigit():
        return _anchored(text, first)
    start = int(first) - 1 if first else 0
    end = int(last) if last.isdigit() else len(lines) if colon else start + 1
    return "\n".join(lines[start:end])


def _anchored(text: str, name: str) -> str:
    kept, inside = [], False
    for line in text.split("\n"):
        found = _ANCHOR.match(line)
        if found and found["name"] == name:
            inside = not found["end"]
        elif inside:
            kept.append(line)
    return "\n".join(kept)


def _without_anchors(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _ANCHOR.match(line))
