"""Sections that have a term: a number for each, with a byte for the weight of the term there.

A section's number is its place in its page, counted from where the page begins; pages begin at multiples of
SLOT, so that a section more or less changes no other page's numbers.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import sub
from typing import Final, Literal

import msgspec

from builder.search.part import Part
from builder.search.terms import STOP

SLOT = 8
LONGEST_LIST, LONGEST_IDLE = 400, 100
"""Sections kept of a term, the weightiest: more than anybody looks at, and what keeps large sites quick."""

NARROW: Final = "I"
WIDE: Final = "Q"
"""Arrays of four bytes for each section of a term, which a page has hundreds of, and of eight."""
PRUNED_AFTER = 1_000
"""Pages of a large site after which sections are dropped that no list will have."""
MOST_NARROW = 1 << 24
"""Sections that four bytes tell apart, beside a weight: those of some millions of pages."""

Found = dict[str, "array[int]"]
"""By term its sections in order: their numbers times 256, and the weights."""


def slots(sections: int) -> int:
    """Return the number of slots that a page takes."""
    return -(-sections // SLOT)


class Gathering:
    """The sections of all terms of neighbouring pages, the first of which begins at `base`.

    `counts` are the numbers of sections of the pages that were added, `used` is how often titles, headings
    and descriptions have each word. A gathering that `prunes` holds little more of a term than its list will
    have; of how many sections it has dropped of each term is in `dropped`.
    """

    def __init__(self, base: int = 0, *, prunes: bool = False) -> None:
        self.found: Found = defaultdict(lambda: array(self._kind))
        self.counts: list[int] = []
        self.used: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self._base = base
        self._prunes = prunes
        self._kind: Literal["I", "Q"] = NARROW

    def add(self, part: Part) -> None:
        """Add the next page."""
        self.put(part.terms)
        self.counts.append(len(part.sections))
        self.used.update(part.headings)
        self._base += slots(len(part.sections)) * SLOT
        if self._prunes and len(self.counts) % PRUNED_AFTER == 0:
            self._prune()

    def put(self, terms_of: Sequence[tuple[str, bytes]]) -> None:
        """Add the terms of the sections of the next page, as parts have them."""
        if self._base + len(terms_of) > MOST_NARROW:
            self._widen()
        sections_of = self.found.__getitem__
        for number, (terms, weights) in enumerate(terms_of, self._base):
            numbered = map((number << 8).__or__, weights)
            # There are some four hundred a page: a loop would take twice as long.
            deque(map(array.append, map(sections_of, terms.split()), numbered), maxlen=0)

    def row(self, term: str) -> bytes:
        """Return the sections of a term as JSON."""
        return row(term, self.found[term], self.dropped[term])

    def _prune(self) -> None:
        """Drop sections of long lists: those kept of them are still there after any others have come."""
        for term, sections in self.found.items():
            if len(sections) > 4 * _longest(term):
                kept = array(self._kind, _weightiest(term, sections))
                self.dropped[term] += len(sections) - len(kept)
                self.found[term] = kept

    def _widen(self) -> None:
        if self._kind == NARROW:
            self._kind = WIDE
            for term, sections in self.found.items():
                self.found[term] = array(WIDE, sections)


def gathered(parts: Iterable[Part]) -> Gathering:
    """The sections of all terms of these pages."""
    gathering = Gathering()
    for part in parts:
        gathering.add(part)
    return gathering


def numbered(terms: Sequence[tuple[str, bytes]], base: int) -> Found:
    """The sections of the terms of one page."""
    gathering = Gathering(base)
    gathering.put(terms)
    return gathering.found


def row(term: str, sections: Sequence[int], dropped: int = 0) -> bytes:
    """A term's sections as JSON, of which so many were dropped already."""
    if len(sections) == 1 and not dropped:
        return b"[1,%d,%d]" % divmod(sections[0], 256)
    return msgspec.json.encode(steps(term, sections, dropped))


def changed_row(term: str, before: bytes | None, old: Sequence[int], new: Sequence[int]) -> bytes | None:
    """Return the row of a term that has `new` sections in the place of `old` ones; empty without any.

    None when another section may come in, of which the row knows nothing.
    """
    steps = msgspec.json.decode(before, type=list[int]) if before else [0]
    numbers = accumulate(steps[1::2])
    known = [number << 8 | weight for number, weight in zip(numbers, steps[2::2], strict=True)]
    merged = sorted([*set(known).difference(old), *new])
    count = steps[0] - len(old) + len(new)
    if steps[0] > len(known):
        last = min(map(_rank, known))
        if sum(_rank(section) >= last for section in merged) < _longest(term):
            return None
    return row(term, merged, count - len(merged)) if merged else b""


def _rank(section: int) -> tuple[int, int]:
    """The weight of a section, of those that weigh the same the first one before others."""
    return section & 255, -section


def _longest(term: str) -> int:
    return LONGEST_IDLE if term in STOP else LONGEST_LIST


def _weightiest(term: str, sections: Sequence[int]) -> Sequence[int]:
    """The sections that are kept of a term, in order: of those that weigh the same the first ones."""
    most = _longest(term)
    if len(sections) <= most:
        return sections
    return sorted(sorted(sections, key=(255).__and__, reverse=True)[:most])


def steps(term: str, sections: Sequence[int], dropped: int = 0) -> list[int]:
    """Return the number of sections that have a term, then the step to each and the weight there."""
    kept = _weightiest(term, sections)
    numbers = [section >> 8 for section in kept]
    row = [len(sections) + dropped] * (1 + 2 * len(kept))
    row[1::2] = map(sub, numbers, [0, *numbers])
    row[2::2] = map((255).__and__, kept)
    return row
