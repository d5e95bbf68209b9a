"""Pair closing tags with their opening ones, and `:::` with admonitions, in one look at a text.

A later opening closes first. A closing tag without its opening is nobody's; an opening that is still open
when one around it closes has no end of its own (its component ends where its parent does). What stands in
fences, code spans, comments, expressions and escapes opens and closes nothing.

    admonition  = ":::" { ":" } ( name ... [ ":::" ] | nothing )        at the start of a line

A line of colons closes the last admonition with as many colons, else the last with fewer. Colons at the end
of the line that opens one close it at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping

from msgspec import Struct, field

from builder.markdown.mdx import elements
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.skips import Skips
from builder.markdown.mdx.scan.tags import tag_at
from components.registry import COMPONENTS

Span = tuple[int, int]
"""Two offsets of the text that is looked at: where a part begins and ends."""

_COLONS = re.compile(r"(:+)[ \t]*(.?)")
_AT_ONCE = re.compile(r"[^\n]*?(?<!:)(:{3,})[ \t]*(?=\n|\Z)")


class _Pairing(Struct):
    """The openings that wait for their end, the last on top."""

    skips: Skips
    components: Container[str]
    found: dict[int, Span | None] = field(default_factory=dict)
    waiting: list[tuple[str, int]] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)

    def open(self, key: str, start: int) -> None:
        self.found[start] = None
        self.waiting.append((key, start))
        self.count[key] += 1

    def close(self, key: str, span: Span) -> None:
        if not self.count[key]:
            return
        while True:
            name, start = self.waiting.pop()
            self.count[name] -= 1
            if name == key:
                self.found[start] = span
                return


def pairs(
    braces: Braces, components: Container[str] = COMPONENTS, *, math: bool = False
) -> tuple[Mapping[int, Span | None], int]:
    """The end of each opening in the text, by its offset, or None for one without; and the marks seen."""
    pos, marks = 0, 0
    pairing = _Pairing(Skips(braces, math=math), components)
    mark = pairing.skips.mark
    while found := mark.search(braces.text, pos):
        pos = _step(pairing, found)
        marks += 1
    return pairing.found, marks


def _step(pairing: _Pairing, found: re.Match[str]) -> int:
    """Deal with one mark; the offset to go on from."""
    after = pairing.skips.after(found)
    if after >= 0:
        return after
    return _colons(pairing, found) if found[0][0] == ":" else _tag(pairing, found.start())


def _tag(pairing: _Pairing, start: int) -> int:
    tag = tag_at(pairing.skips.braces, start, pairing.components)
    if tag is None:
        return start + 1
    name = elements.canonical(tag.name)
    if tag.kind == "close":
        pairing.close(name, (tag.start, tag.end))
    elif tag.kind == "open" and name in elements.HIDDEN:
        return max(pairing.skips.ends.hidden(tag), tag.end)
    elif tag.kind == "open" and name not in elements.VOID:
        pairing.open(name, start)
    return tag.end


def _colons(pairing: _Pairing, found: re.Match[str]) -> int:
    text, pos = found.string, found.start()
    line = _COLONS.match(text, pos)
    if line is None or not pairing.skips.at_line_start(pos):
        return found.end()
    colons = len(line[1])
    if line[2].isalpha():
        pairing.open(f":{colons}", pos)
        once = _AT_ONCE.match(text, line.end())
        if once:
            pairing.close(f":{colons}", (once.start(1), once.end(1)))
            return once.end(1)
    elif not line[2]:
        _close_colons(pairing, colons, (pos, line.end()))
    return line.end(1)


def _close_colons(pairing: _Pairing, colons: int, span: Span) -> None:
    for number in range(colons, 2, -1) if colons < 100 else ():
        if pairing.count[f":{number}"]:
            return pairing.close(f":{number}", span)
    return None
