"""Markdown as agents find it: its text, its links, code without an end, hints that it goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from server.score import html_tree

_QUOTES = re.compile(r"^(?:\s{0,3}> ?)+")
_FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})(.*)$")
_ITEM = re.compile(r"^( {0,3})(?:[-*+]|(\d{1,9})[.)])( *)(.*)$")
_HTML = re.compile(r"<!doctype\s|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?\n\1[ \t]*$", re.MULTILINE | re.DOTALL)
_MARKDOWN = re.compile(r"^#{1,6}\s+\S|\[[^\]]+\]\([^)]+\)|^```", re.MULTILINE)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def tokens(text: str) -> Sequence[Token]:
    """The blocks of a text."""
    return _parser().parse(text)


def is_markdown(text: str) -> bool:
    """Return whether a text looks like markdown, and not like HTML."""
    plain = re.sub(r"`[^`\n]+`", "``", _FENCED.sub("", text))
    return not _HTML.search(plain[:2000]) and bool(_MARKDOWN.search(text[:5000]))


def links(found: Sequence[Token]) -> list[str]:
    """The targets of all links, in order; those that are written as bare addresses are left out."""
    inline = (child for token in found for child in token.children or ())
    opened = (child for child in inline if child.type == "link_open" and child.info != "auto")
    return [str(child.attrs.get("href", "")) for child in opened]


def text(found: Sequence[Token]) -> str:
    """All text as HTML would show it."""
    parts: list[str] = []
    for token in found:
        if token.type == "inline":
            parts.append("".join(_inline(token.children or [])) + "\n")
        elif token.type in {"fence", "code_block"}:
            parts.append(_escaped(token.content) + "\n")
        elif token.type == "html_block":
            parts.append(token.content + "\n")
    return html_tree.read("".join(parts)).text()


def _inline(children: Sequence[Token]) -> Iterator[str]:
    for child in children:
        if child.type in {"softbreak", "hardbreak"}:
            yield "\n"
        elif child.type == "html_inline":
            yield child.content
        elif child.type in {"text", "code_inline", "image"}:
            yield _escaped(child.content)


def _escaped(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def fences(content: str) -> tuple[int, int]:
    """Count the fences of code, and give the line of one that is never closed, 0 when there is none."""
    lists: list[int] = []
    opened: tuple[int, str, int] | None = None
    count = 0
    for number, line in enumerate(content.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        stripped = _QUOTES.sub("", line)
        indent = len(stripped) - len(stripped.lstrip(" "))
        while opened is None and stripped.strip() and lists and indent < lists[-1]:
            lists.pop()
        inside = stripped[min(indent, lists[-1] if lists else 0) :]
        found = None if "|" in inside else _FENCE.match(inside)
        if found:
            if opened is None:
                opened, count = (number, found[2][0], len(found[2])), count + 1
            elif found[2][0] == opened[1] and len(found[2]) >= opened[2] and not found[3].strip():
                opened = None
        elif opened is None and (width := _item_width(inside)):
            lists.append((lists[-1] if lists else 0) + width)
    return count, opened[0] if opened else 0


def _item_width(line: str) -> int:
    """The column at which the text of a list item begins, 0 for what is none."""
    found = _ITEM.match(line)
    if not found or (found[4] and not found[3]):
        return 0
    mark = len(found[1]) + (len(found[2]) + 1 if found[2] else 1)
    return mark + (1 if not found[4] or len(found[3]) >= 5 else len(found[3]))


_NUMBER = r"(\d[\d,]*)"
_OF = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?:showing|displaying|listing|page)\s+(?:the\s+first\s+)?(?:\d+\s*(?:-|–|to)\s*)?{_NUMBER}"
    rf"\s+(?:of|out\s+of)\s+{_NUMBER}|{_NUMBER}\s+(?:of|out\s+of)\s+{_NUMBER}\s+"
    r"(?:results?|items?|entries|records|models|rows|pages|shown|displayed|listed|total))(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^[\s>*_\-+|#\d.)]*(?:\*\*|__)?(?:[A-Za-z][\w ]{0,24}:\s*)?(?:\*\*|__)?\s*$")
_NEXT = re.compile(
    r"\s*(?:next\s+page|next\s+\d+(?:\s+\w+)?|more\s+results|load\s+more|show\s+more)\s*", re.IGNORECASE
)


def window(found: Sequence[Token]) -> str:
    """Return the words by which a text says that it is a part of something longer, or an empty text."""
    for token in found:
        said = "".join(child.content for child in token.children or () if child.type == "text")
        for match in _OF.finditer(said):
            shown, total = (int(each.replace(",", "")) for each in match.groups() if each)
            if shown < total and _LEAD.match(said[: match.start()]):
                return match[0]
        for place, child in enumerate(token.children or ()):
            is_label = place and (token.children or [])[place - 1].type == "link_open"
            if is_label and child.type == "text" and _NEXT.fullmatch(child.content):
                return child.content.strip()
    return ""
