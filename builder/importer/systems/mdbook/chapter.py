"""Rewrite a chapter of mdBook: what it includes, lists of attributes, formulas, code.

Forms: https://rust-lang.github.io/mdBook/format/mdbook.html. Fences of mdbook-admonish hold markdown, so they
become admonitions before a chapter is looked at (https://tommilligan.github.io/mdbook-admonish/):

    ```admonish warning "Title"        ```admonish tip title="Title", collapsible=true
"""

from __future__ import annotations

import html
import posixpath
import re
from bisect import bisect_right

from builder.importer.heading_ids import keep_anchors
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece, SourceText
from builder.importer.rewriting import Rewriting
from builder.markdown.mdx.tag_hints import kind_of

_MACRO = re.compile(r"(?P<escape>\\)?\{\{#(?P<name>\w+)[ \t]*(?P<rest>[^}\n]{0,500}?)[ \t]{0,20}\}\}")
_HEADING_LIST = re.compile(
    r"^(#{1,6}[ \t][^\n]{0,500}?)[ \t]{0,9}\{(?P<list>[^{}\n]{0,500})\}[ \t]{0,9}$", re.MULTILINE
)
_ID = re.compile(r"(?:^|\s)#([^\s.#{}]+)")
_TEX = re.compile(r"\\\\\((?P<inline>[^\n]{1,500}?)\\\\\)|\\\\\[(?P<block>.{1,3000}?)\\\\\]", re.DOTALL)
_DEFINITION = re.compile(r"^[ ]{0,3}:[ \t]+\S", re.MULTILINE)
_ANCHOR = re.compile(r"^.*\bANCHOR(?P<end>_END)?:[ \t]*(?P<name>[\w-]+).*$", re.MULTILINE)
_HIDDEN = re.compile(r"^[ \t>]*#(?:[ \t][^\n]*)?$\n?", re.MULTILINE)
_TWICE = re.compile(r"^([ \t>]*#)#", re.MULTILINE)
_COLONS = re.compile(r"^[ \t>]*:{3,}[a-z]+\b", re.MULTILINE)
_HIDE_SIGN = re.compile(r"\bhidelines=([^\s,]{1,20})")
_INCLUDES = frozenset({"include", "rustdoc_include", "playground", "playpen"})
_DEEPEST = 10
_MOST_INCLUDED = 512 * 1024
"""Characters that the includes of a chapter's includes may have."""
_EACH = 256
"""Characters that each file counts for beside its own."""
"""Characters that the includes of a chapter's includes may have."""
_RUST = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*rust\b")

_ADMONISH = re.compile(r"(?P<sign>`{3,}|~{3,})[ \t]*admonish\b[ \t]*(?P<rest>[^\n]*)")
_TITLE = re.compile(r"(?:\btitle[ ]*=[ ]*)?([\"'])(?P<text>(?:[^\\\n]|\\.)*?)\1")
_FOLDS = re.compile(r"\bcollapsible[ ]*=[ ]*true")
_ADMONISH_KINDS = {"todo": "info", "attention": "warning", "cite": "note", "quote": "note", "example": "note"}
_DEEPEST_FENCE = 6
"""Admonitions within one another."""


def rewrite(work: PageWork) -> None:
    """Rewrite all forms of a chapter."""
    _Chapter(work).rewrite()


class _Chapter:
    """A chapter that is rewritten."""

    def __init__(self, work: PageWork) -> None:
        self._work = work
        self._rewriting = work.rewriting
        pieces = work.rewriting.source.pieces
        self._left = min(_MOST_INCLUDED, max(0, work.around.included_left))
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
        keep_anchors(self._work, _slug)
        if "katex" in self._work.around.site.syntax and "$" in self._rewriting.text:
            self._extra("math")
        if _COLONS.search(self._rewriting.text):
            self._work.needs_mdx = True
        self._rewriting.each(_DEFINITION, lambda _: self._extra("definition-lists"))

    def _extra(self, name: str) -> None:
        self._rewriting.extras.add(name)
        self._work.needs_mdx = True

    def _macro(self, found: re.Match[str]) -> None:
        rewriting, name = self._rewriting, found["name"]
        if found["escape"] and not self._in_code(found.start()):
            return  # a brace in text is written so here too
        if found["escape"]:
            rewriting.replace(found.start(), found.start() + 1, "")
        elif name == "title":
            rewriting.tell("title for browsers alone", found.start(), found["rest"])
            rewriting.remove_lines(found.start(), found.end())
        elif name in _INCLUDES and found["rest"]:
            self._include(found, name)
        elif not self._in_code(found.start()):
            rewriting.tell(f"macro {name}", found.start(), found[0])

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
        text = self._expanded(_without_anchors(_lines(text, rest)), posixpath.dirname(file), 0).rstrip("\n")
        if name == "rustdoc_include" or self._is_rust(start):
            text = _TWICE.sub(r"\1", _HIDDEN.sub("", f"{text}\n")).rstrip("\n")
        if name in {"playground", "playpen"}:
            text = f"```rust\n{text}\n```"
        indent = self._rewriting.indent(start)
        self._rewriting.replace(start, end, text.replace("\n", f"\n{indent}"))

    def _expanded(self, text: str, folder: str, depth: int) -> str:
        """Return a text with what it includes itself, as deep as the book goes."""

        def inner(found: re.Match[str]) -> str:
            if found["escape"] or found["name"] not in _INCLUDES or not found["rest"] or self._left <= 0:
                return found[0]
            target, _, rest = found["rest"].split()[0].partition(":")
            file = posixpath.normpath(posixpath.join(folder, target))
            included = self._work.around.origin.text(file)
            if included is None or depth >= _DEEPEST:
                return found[0]
            self._left -= len(included) + _EACH
            self._work.around.included_left -= len(included) + _EACH
            lines = _without_anchors(_lines(included, rest)).rstrip("\n")
            return self._expanded(lines, posixpath.dirname(file), depth + 1)

        return _MACRO.sub(inner, text)

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
            self._hidden(piece, end, _HIDDEN)
        elif sign := self._hides(words):
            self._hidden(piece, end, re.compile(rf"^[ \t>]*{re.escape(sign)}[^\n]*$\n?", re.MULTILINE))
        if words.split(",")[0].strip() == "mermaid":
            self._extra("diagrams")
        if info and "," in words:
            self._rewriting.replace(info.end(), end, words.split(",")[0].strip())

    def _hides(self, words: str) -> str:
        """Return the sign of lines that code of a language hides: that of the fence, or of the book."""
        own = _HIDE_SIGN.search(words)
        language = re.split(r"[,\s]", words, maxsplit=1)[0]
        given = (one for one in self._work.around.site.syntax if one.startswith(f"hidelines {language} "))
        return own[1] if own else next(given, "").rpartition(" ")[2] if language else ""

    def _hidden(self, piece: SourcePiece, begin: int, pattern: re.Pattern[str]) -> None:
        """Leave out the lines that readers do not see at first."""
        text = self._rewriting.text
        hidden = list(pattern.finditer(text, begin + 1, piece.end))
        if hidden:
            old = "".join(found[0] for found in hidden).strip()
            self._rewriting.tell("hidden line of code", hidden[0].start(), old)
        for found in hidden:
            self._rewriting.replace(found.start(), found.end(), "")
        for found in _TWICE.finditer(text, begin + 1, piece.end) if pattern is _HIDDEN else ():
            self._rewriting.replace(found.end() - 1, found.end(), "")


def _slug(text: str) -> str:
    """Return the anchor of a heading: only ASCII becomes small, and marks that are no letters go."""
    kept = (char if char.isalnum() or char in "_-" else "-" if char.isspace() else "" for char in text)
    return "".join(char.lower() if char.isascii() else char for char in kept)


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


def without_admonish(body: str) -> str:
    """Return a text with its fences of mdbook-admonish as admonitions. Total."""
    for _ in range(_DEEPEST_FENCE):
        if "admonish" not in body:
            break
        rewriting = Rewriting("", SourceText.of(body, is_mdx=False))
        for piece in rewriting.source.pieces:
            if piece.sort == "fence":
                _admonish(rewriting, piece)
        if not rewriting.edits:
            break
        body = rewriting.result()
    return body


def _admonish(rewriting: Rewriting, piece: SourcePiece) -> None:
    found = _ADMONISH.match(rewriting.text, piece.start)
    if found is None:
        return
    begin, end = _admonition(found["rest"], ":" * len(found["sign"]), rewriting.indent(piece.start))
    rewriting.replace(*found.span(), begin)
    last = rewriting.text.rstrip().rfind("\n", found.end(), piece.end) + 1
    closing = re.compile(r"[ \t>]*(?P<sign>[`~]{3,})[ \t]*$", re.MULTILINE).match(
        rewriting.text, last, piece.end
    )
    if last > 0 and closing:
        rewriting.replace(*closing.span("sign"), end)
    else:
        rewriting.insert(piece.end, f"\n{end}")


def _admonition(rest: str, colons: str, indent: str) -> tuple[str, str]:
    """Return the lines for the two ends of a block."""
    kind = re.split(r"[^\w-]", rest, maxsplit=1)[0]
    kind = "" if kind in {"title", "collapsible", "id", "class"} else kind
    title = _TITLE.search(rest)
    shown = title["text"].replace('\\"', '"').strip() if title else ""
    known = _ADMONISH_KINDS.get(kind) or kind_of(kind) or "note"
    shown = shown or (kind.capitalize() if kind and kind != known else "")
    if _FOLDS.search(rest):
        summary = html.escape(shown or known.capitalize(), quote=False)
        return f"<details>\n{indent}<summary>{summary}</summary>\n", "\n</details>"
    return f"{colons}{known}{f' {shown}' if shown else ''}", colons
