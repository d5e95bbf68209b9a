"""Find what two sequences of lines, or of words, have in common, in time that grows as they do.

`difflib` takes time by the cube of them where the same few stand again and again among others. So lines are
parted first at those that each side has once (Bram Cohen's patience diff), and between them `difflib` looks
for as long as its work is bounded; what it has not looked at then counts as different.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate

from msgspec import Struct

MOST_STEPS = 2_000_000
"""Pairs that are compared for one difference: some tenths of a second."""
Opcode = tuple[str, int, int, int, int]


class Work(Struct):
    """The steps that are left."""

    left: int = MOST_STEPS


class BoundedMatcher(SequenceMatcher[str]):
    """`difflib` until the work is done: what is left then has nothing in common."""

    def __init__(self, one: Sequence[str], other: Sequence[str], work: Work) -> None:
        super().__init__(None, one, other, autojunk=False)
        places = self.b2j  # type: ignore[attr-defined]  # since Python 2.3, and nowhere told
        self._work = work
        self._steps = list(accumulate((1 + len(places.get(each, ())) for each in one), initial=0))

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Find the longest part that both have, as long as there is work left."""
        steps = self._steps[-1 if ahi is None else ahi] - self._steps[alo]
        if steps > self._work.left:
            return Match(alo, blo, 0)
        self._work.left -= steps
        return super().find_longest_match(alo, ahi, blo, bhi)


def opcodes(one: Sequence[str], other: Sequence[str], work: Work) -> Iterator[Opcode]:
    """Yield the steps from one list of lines to the other, as `difflib` has them."""
    at, to = 0, 0
    for a, b, size in _joined(_matches(one, other, work)):
        if tag := _tag(a - at, b - to):
            yield tag, at, a, to, b
        if size:
            yield "equal", a, a + size, b, b + size
        at, to = a + size, b + size


def _tag(gone: int, come: int) -> str:
    if gone and come:
        return "replace"
    return "delete" if gone else "insert" if come else ""


def _joined(matches: Iterator[Match]) -> Iterator[Match]:
    """Join matches that follow one another; the last one is empty."""
    last = Match(0, 0, 0)
    for each in matches:
        if (last.a + last.size, last.b + last.size) == (each.a, each.b):
            last = Match(last.a, last.b, last.size + each.size)
        else:
            yield last
            last = each
    yield last
    if last.size:
        yield Match(last.a + last.size, last.b + last.size, 0)


def _matches(one: Sequence[str], other: Sequence[str], work: Work) -> Iterator[Match]:
    """Yield what both have in common, in its order, and an empty match at their ends."""
    at, to = 0, 0
    for a, b in (*_anchors(one, other), (len(one), len(other))):
        for each in _between(one[at:a], other[to:b], work):
            yield Match(at + each.a, to + each.b, each.size)
        if a < len(one):
            yield Match(a, b, 1)
        at, to = a + 1, b + 1
    yield Match(len(one), len(other), 0)


def _anchors(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The most lines that both have once, and in the same order."""
    counts, places = Counter(one), {line: place for place, line in enumerate(other)}
    once = Counter(other)
    pairs = [(a, places[line]) for a, line in enumerate(one) if counts[line] == 1 and once[line] == 1]
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (_, b) in enumerate(pairs):
        pile = bisect_left(ends, b)
        before.append(tops[pile - 1] if pile else -1)
        ends[pile : pile + 1], tops[pile : pile + 1] = [b], [number]
    found, number = [], tops[-1] if tops else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _between(one: Sequence[str], other: Sequence[str], work: Work) -> Iterator[Match]:
    """Yield what two parts have in common that have no line to go by."""
    head = _common(one, other)
    tail = _common(one[head:][::-1], other[head:][::-1])
    if head:
        yield Match(0, 0, head)
    middle, changed = one[head : len(one) - tail], other[head : len(other) - tail]
    if middle and changed:
        for each in BoundedMatcher(middle, changed, work).get_matching_blocks()[:-1]:
            yield Match(head + each.a, head + each.b, each.size)
    if tail:
        yield Match(len(one) - tail, len(other) - tail, tail)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
