"""Read the tags of a text: past code spans, quotes and braces, and by nothing that the importer has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct


class Tag(Struct, frozen=True):
    """A tag that opens, with its attributes as they are written, without quotes."""

    name: str
    attributes: dict[str, str]
    line: int
    end: int
    is_empty: bool = False


def tags_of(text: str) -> Iterator[tuple[int, int, Tag | None]]:
    """Yield each tag outside of code spans with its place; None for one that closes."""
    pos, line, counted = 0, 1, 0
    while pos < len(text):
        sign = text[pos]
        if sign == "`":
            run = _run(text, pos)
            close = _close(text, pos + run, run)
            pos = close or pos + run
        elif sign == "\\":
            pos += 2
        elif sign == "<" and (name := re.compile(r"</?([A-Za-z][\w.:-]*|(?=>))").match(text, pos)):
            end = _end(text, name.end())
            if end is None or text[name.end() : name.end() + 1] in {"@", ":"} or ":" in (name[1] or ""):
                pos += 1
                continue
            line += text.count("\n", counted, pos)
            counted = pos
            inner = text[name.end() : end - 1]
            is_open = not name[0].startswith("</") and name[1]
            last = line + text.count("\n", pos, end)
            yield (
                pos,
                end,
                Tag(name[1], _attributes(inner), line, last, inner.endswith("/")) if is_open else None,
            )
            pos = end
        else:
            pos += 1


def _run(text: str, pos: int) -> int:
    end = pos
    while end < len(text) and text[end] == "`":
        end += 1
    return end - pos


def _close(text: str, pos: int, run: int) -> int:
    limit = text.find("\n\n", pos)
    limit = len(text) if limit < 0 else limit
    for found in re.compile(r"`+").finditer(text, pos, limit):
        if len(found[0]) == run:
            return found.end()
    return 0


def _end(text: str, pos: int) -> int | None:
    """Return where a tag ends: past quotes and braces."""
    depth, quote = 0, ""
    for place in range(pos, min(len(text), pos + 20_000)):
        sign = text[place]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'" and (depth or text[place - 1] in "= \n{"):
            quote = sign
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
        elif sign == ">" and depth <= 0:
            return place + 1
        elif sign == "<" and depth <= 0:
            return None
    return None


_ATTRIBUTE = re.compile(r"([\w:@.-]+)(?:[ \t\n]*=[ \t\n]*(?:\"([^\"]*)\"|'([^']*)'|(\{)|([^\s\"'{}>/]+)))?")


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    pos = 0
    while match := _ATTRIBUTE.search(text, pos):
        pos = match.end()
        value = next((each for each in match.groups()[1:] if each is not None), "")
        if match[4]:
            depth = 1
            while pos < len(text) and depth:
                depth += {"{": 1, "}": -1}.get(text[pos], 0)
                pos += 1
            value = text[match.end() - 1 : pos]
        found[match[1]] = value
    return found
