"""The difference between two texts, and the text that joins what two people have made of one.

Line by line, with the words that differ within a changed line. Texts are joined by the three-way merge of
diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3, 2007).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct

from server.dashboard.matching_lines import BoundedMatcher, Opcode, Work, opcodes

AROUND = 3
"""Lines that are shown before and after a change."""
MOST_LINES = 2_000
"""That are shown: nobody reads more, and a page of them is large."""
MOST_SIGNS = 2_000
"""Of longer lines, no words are compared."""
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)

YOURS, BETWEEN, THEIRS = "<<<<<<< yours", "=======", ">>>>>>> theirs"

_LINE = re.compile(r"[^\n]*\n|[^\n]+")

Kind = Literal["same", "added", "removed", "gap"]


class LinePiece(Struct, frozen=True):
    """A part of a line; `marked` is one that the other text does not have."""

    text: str
    marked: bool = False


class DiffLine(Struct, frozen=True):
    """One line with its number: in the old text where it was removed, else in the new one. A gap has none."""

    kind: Kind
    number: int
    pieces: tuple[LinePiece, ...]


class Difference(Struct, frozen=True):
    """All changed lines with those around them, and how many were added and removed."""

    lines: tuple[DiffLine, ...]
    added: int
    removed: int


def difference(old: str, new: str, work: Work | None = None) -> Difference:
    """The difference between two texts; without lines when they are the same.

    Several texts that are compared for one page share the `work`.
    """
    one, other, work = _split(old), _split(new), work or Work()
    codes = [code for code in opcodes(one, other, work) if one != other]
    added = sum(d - c for tag, _, _, c, d in codes if tag != "equal")
    removed = sum(b - a for tag, a, b, _, _ in codes if tag != "equal")
    return Difference(tuple(_shown_lines(_lines(one, other, codes, work))), added, removed)


def _shown_lines(lines: Iterator[DiffLine]) -> Iterator[DiffLine]:
    yield from islice(lines, MOST_LINES)
    if next(lines, None) is not None:
        yield DiffLine("gap", 0, ())


def _split(text: str) -> list[str]:
    # As editors number them: no other sign than a line feed ends a line.
    return text.removesuffix("\n").split("\n") if text else []


def _lines(
    one: Sequence[str], other: Sequence[str], codes: Sequence[Opcode], work: Work
) -> Iterator[DiffLine]:
    for place, (tag, a, b, c, d) in enumerate(codes):
        if tag == "equal":
            yield from _same(other, c, d, is_first=place == 0, is_last=place == len(codes) - 1)
        else:
            yield from _changed(one[a:b], other[c:d], (a, c), work)


def _same(lines: Sequence[str], begin: int, end: int, *, is_first: bool, is_last: bool) -> Iterator[DiffLine]:
    """Equal lines, of which those are left out that are far from any change."""
    before = 0 if is_first else AROUND
    after = 0 if is_last else AROUND
    if end - begin <= before + after + 1:
        shown, rest = range(begin, end), range(0)
    else:
        shown, rest = range(begin, begin + before), range(end - after, end)
    yield from (DiffLine("same", at + 1, (LinePiece(lines[at]),)) for at in shown)
    if rest or len(shown) < end - begin:
        if not (is_first and is_last):
            yield DiffLine("gap", 0, ())
        yield from (DiffLine("same", at + 1, (LinePiece(lines[at]),)) for at in rest)


def _changed(
    gone: Sequence[str], come: Sequence[str], place: tuple[int, int], work: Work
) -> Iterator[DiffLine]:
    pairs = [
        _words(left, right, work) for left, right in zip(gone[:MOST_LINES], come[:MOST_LINES], strict=False)
    ]
    for at, line in enumerate(gone):
        pieces = pairs[at][0] if at < len(pairs) else (LinePiece(line),)
        yield DiffLine("removed", place[0] + at + 1, pieces)
    for at, line in enumerate(come):
        pieces = pairs[at][1] if at < len(pairs) else (LinePiece(line),)
        yield DiffLine("added", place[1] + at + 1, pieces)


def _words(one: str, other: str, work: Work) -> tuple[tuple[LinePiece, ...], tuple[LinePiece, ...]]:
    """Two lines with the words marked that differ; nothing is marked where hardly anything is the same."""
    if max(len(one), len(other)) > MOST_SIGNS:
        return (LinePiece(one),), (LinePiece(other),)
    left, right = _WORDS.findall(one), _WORDS.findall(other)
    matcher = BoundedMatcher(left, right, work)
    if matcher.ratio() < 0.4:
        return (LinePiece(one),), (LinePiece(other),)
    codes = matcher.get_opcodes()
    olds = [LinePiece("".join(left[a:b]), tag != "equal") for tag, a, b, _, _ in codes if a < b]
    news = [LinePiece("".join(right[c:d]), tag != "equal") for tag, _, _, c, d in codes if c < d]
    return tuple(olds), tuple(news)


class Merge(Struct, frozen=True):
    """The joined text; each of the `conflicts` stands in it as both sides between three marks."""

    text: str
    conflicts: int


def merge(base: str, yours: str, theirs: str) -> Merge:
    """Join two texts that were made of `base`."""
    parts = list(_parts(*(_LINE.findall(text) for text in (base, yours, theirs))))
    conflicts = sum(len(part) == 2 for part in parts)
    return Merge("".join(_shown(part) for part in parts), conflicts)


_Part = tuple[Sequence[str], ...]
"""Lines that are settled, or both sides of what is not."""


def _parts(base: list[str], yours: list[str], theirs: list[str]) -> Iterator[_Part]:
    mine, other = _matches(base, yours), _matches(base, theirs)
    at = left = right = 0
    for line in range(len(base) + 1):
        is_end = line == len(base)
        if not is_end and (line not in mine or line not in other):
            continue
        to_left, to_right = (len(yours), len(theirs)) if is_end else (mine[line], other[line])
        yield from _settled(base[at:line], yours[left:to_left], theirs[right:to_right])
        if not is_end:
            yield (base[line : line + 1],)
        at, left, right = line + 1, to_left + 1, to_right + 1


def _matches(base: list[str], changed: list[str]) -> dict[int, int]:
    """The lines of `base` that are still there, with their places."""
    return {
        a + step: c + step
        for tag, a, b, c, _ in opcodes(base, changed, Work())
        if tag == "equal"
        for step in range(b - a)
    }


def _settled(base: list[str], yours: list[str], theirs: list[str]) -> Iterator[_Part]:
    if theirs in (base, yours):
        yield (yours,)
    elif yours == base:
        yield (theirs,)
    else:
        yield (yours, theirs)


def _shown(part: _Part) -> str:
    if len(part) == 1:
        return "".join(part[0])
    yours, theirs = (_ended("".join(side)) for side in part)
    return f"{YOURS}\n{yours}{BETWEEN}\n{theirs}{THEIRS}\n"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
