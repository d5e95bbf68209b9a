"""Which closing tag belongs to which opening one, and which `:::` to which admonition, in one look at a text.

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
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from builder.markup import elements
from builder.markup.braces import Braces
from builder.markup.ends import Ends
from builder.markup.tags import tag_at

Span = tuple[int, int]

_MARK = re.compile(r"\\.|`+|~{3,}|<!--|</?[A-Za-z]|\{|:{3,}")
_PREFIX = re.compile(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")
_PART_END = re.compile(
    r"\n(?=[ \t>]*(?:\n|\Z|#|`{3}|~{3}|:{3}|</?[A-Z]|[-*+][ \t]|\d{1,9}[.)][ \t]))|\n(?=[ \t]*>)"
)
"""Where a code span cannot go on."""

_EMPTY_LINE = re.compile(r"\n[ \t>]*\n")
_COLONS = re.compile(r"(:+)[ \t]*(.?)")
_AT_ONCE = re.compile(r"[^\n]*?(?<!:)(:{3,})[ \t]*(?=\n|\Z)")


@dataclass(slots=True)
class _Pairing:
    """The openings that wait for their end, the last on top."""

    braces: Braces
    found: dict[int, Span | None] = field(default_factory=dict)
    waiting: list[tuple[str, int]] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)
    ticks: _Ticks | None = None
    ends: Ends = field(default_factory=lambda: Ends(""))

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


def pairs(braces: Braces) -> tuple[Mapping[int, Span | None], int]:
    """For the place of each opening in the text: where its end stands, if it has one. And the marks seen."""
    text, pos, marks = braces.text, 0, 0
    pairing = _Pairing(braces, ends=Ends(text))
    while found := _MARK.search(text, pos):
        pos = _step(pairing, found)
        marks += 1
    return pairing.found, marks


def _step(pairing: _Pairing, found: re.Match[str]) -> int:
    """Deal with one mark; the place to go on from."""
    first = found[0][0]
    if first == "\\":
        return found.end()
    if first == ":":
        return _colons(pairing, found)
    if first in "`~":
        return _code(pairing, found)
    if first == "{":
        return _expression(pairing.braces, found.start())
    if found[0] == "<!--":
        return max(pairing.ends.special(found.start()), found.end())
    return _tag(pairing, found.start())


def _tag(pairing: _Pairing, start: int) -> int:
    tag = tag_at(pairing.braces, start)
    if tag is None:
        return start + 1
    name = elements.canonical(tag.name)
    if tag.kind == "close":
        pairing.close(name, (tag.start, tag.end))
    elif tag.kind == "open" and name in elements.HIDDEN:
        return max(pairing.ends.hidden(tag), tag.end)
    elif tag.kind == "open" and name not in elements.VOID:
        pairing.open(name, start)
    return tag.end


def _expression(braces: Braces, start: int) -> int:
    """After the braces, when they can be an expression: within a line of text they hold no empty line."""
    end = braces.end(start)
    if end < 0:
        return start + 1
    if _EMPTY_LINE.search(braces.text, start, end) and not at_line_start(braces.text, start):
        return start + 1
    return end


def at_line_start(text: str, pos: int) -> bool:
    """Whether nothing but blanks and the marks of quotes and lists stands before `pos` in its line."""
    start = text.rfind("\n", 0, pos) + 1
    return _PREFIX.fullmatch(text, start, pos) is not None


def _colons(pairing: _Pairing, found: re.Match[str]) -> int:
    text, pos = found.string, found.start()
    line = _COLONS.match(text, pos)
    if line is None or not at_line_start(text, pos):
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


def _code(pairing: _Pairing, found: re.Match[str]) -> int:
    """After a fence or a code span, or after the marks alone when they begin none."""
    text, marks = found.string, found[0]
    if len(marks) >= 3 and at_line_start(text, found.start()):
        line_end = text.find("\n", found.end())
        line_end = len(text) if line_end < 0 else line_end
        if marks[0] == "~" or "`" not in text[found.end() : line_end]:
            return _fence_end(text, found, line_end)
    if marks[0] == "~":
        return found.end()
    if pairing.ticks is None or found.start() >= pairing.ticks.end:
        pairing.ticks = _Ticks.of(text, found.start())
    return pairing.ticks.after(found.start(), len(marks))


def _fence_end(text: str, found: re.Match[str], line_end: int) -> int:
    prefix = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    column = len(prefix.expandtabs(4)) if prefix.strip(" \t>") else 0
    end = _fence_close(found[0][0], len(found[0]), ">" in prefix, column).search(text, line_end)
    return end.end() if end else len(text)


@lru_cache(256)
def _fence_close(char: str, length: int, quoted: bool, column: int) -> re.Pattern[str]:
    """The line that closes a fence, or the first that cannot belong to the quote or list item it is in."""
    outside = r"|\n(?![ \t]*>)" if quoted else rf"|\n(?=[ ]{{0,{column - 1}}}[^\s])" if column else ""
    return re.compile(rf"\n[ \t>]*{char}{{{length},}}[ \t]*(?=\n|\Z){outside}")


@dataclass(slots=True)
class _Ticks:
    """The runs of backticks in one part of the text, which no code span leaves."""

    end: int
    runs: dict[int, list[int]]

    @staticmethod
    def of(text: str, start: int) -> _Ticks:
        found = _PART_END.search(text, start)
        end = found.start() if found else len(text)
        runs: dict[int, list[int]] = {}
        for run in re.finditer("`+", text[start:end]):
            runs.setdefault(len(run[0]), []).append(start + run.start())
        for places in runs.values():
            places.reverse()
        return _Ticks(end, runs)

    def after(self, start: int, length: int) -> int:
        """The place after the code span that the run at `start` begins, or after the run."""
        places = self.runs.get(length, [])
        while places and places[-1] <= start:
            places.pop()
        return (places[-1] if places else start) + length
