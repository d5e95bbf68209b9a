"""The piece of a text that shows what was found, as `themes/default/search/excerpt.js` cuts it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import accumulate

from builder.search.query.asked_words import part_places, places_of, terms_of
from builder.search.terms import characters_of, fold

WINDOW = 160
"""Characters of an excerpt."""

Mark = tuple[int, int]
"""The place in a text where something was found: beginning and end."""


def excerpt(text: str, terms: AbstractSet[str], window: int = WINDOW) -> str:
    """Return the piece of a text around the place with the most that has these terms."""
    centre = _centre(marks_in(text, terms), window // 2)
    start = min(centre - window // 2, len(text) - window)
    start = (text.find(" ", start - 1) + 1 or start) if start > 0 else 0
    if start > centre:
        start = max(0, centre - window // 4)
    end = start + window
    if end < len(text):
        end = max(text.rfind(" ", 0, end + 1), start + window // 2)
    return f"{'… ' if start > 0 else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def _centre(marks: list[Mark], reach: int) -> int:
    """The beginning of the first mark from which on the most is marked, 0 if nothing has more than that."""
    starts = [start for start, _ in marks]
    sums = [0, *accumulate(end - start for start, end in marks)]

    def marked(start: int) -> int:
        return sums[bisect_left(starts, start + reach)] - sums[bisect_left(starts, start)]

    return max([0, *starts], key=marked)


def marks_in(text: str, terms: AbstractSet[str]) -> list[Mark]:
    """Return where a text has one of these terms, in order, none within another."""
    marks: list[Mark] = []
    for start, end in _marks(text, terms):
        if marks and start <= marks[-1][1]:
            marks[-1] = (marks[-1][0], max(marks[-1][1], end))
        else:
            marks.append((start, end))
    return marks


def _marks(text: str, terms: AbstractSet[str]) -> Iterator[Mark]:
    for start, run in _likely(text, _beginnings(frozenset(terms))):
        for at, piece in places_of(run):
            yield from _of_piece(start + at, piece, terms)


def _of_piece(at: int, piece: str, terms: AbstractSet[str]) -> Iterator[Mark]:
    if fold(piece) in terms:
        yield at, at + len(piece)
        return
    for start, part in part_places(piece):
        for found in terms_of(part):
            if found.term in terms:
                yield at + start + found.start, at + start + found.end


def _likely(text: str, terms: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Return the runs of a text that may have a term, each with where it begins: few have one."""
    same = f"{characters_of(text)} "
    if not text.isascii():
        runs = ((run.start(), run[0]) for run in _RUN.finditer(same))
        yield from (run for run in runs if not run[1].isascii() or terms.search(run[1].lower()))
        return
    lower, end = same.lower(), 0
    while found := terms.search(lower, end):
        start, end = same.rfind(" ", 0, found.start() + 1) + 1, same.index(" ", found.start())
        yield start, same[start:end]


_RUN = re.compile("[^ ]+")


@lru_cache(maxsize=256)
def _beginnings(terms: frozenset[str]) -> re.Pattern[str]:
    """Find what a word with one of these terms has: all begin as their terms do, but "query" is "queries"."""
    each = {term[:-1] if term.endswith("y") and len(term) > 1 else term for term in terms if term}
    return re.compile("|".join(map(re.escape, sorted(each))) or "(?!)")
