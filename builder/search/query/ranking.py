"""The order of pages and sections, as `rank` of `themes/default/search/index.js` has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from builder.search.query.meanings import Weighed

ALL = 1e9
"""More than words can weigh: a page with more of them is always before one with fewer."""
TITLE = 99
"""The words that a title is worth that is what was typed, or begins so."""


class RankedPage(Struct, frozen=True):
    """A page by its number: how well it fits, how much its title does, and its sections, the best first."""

    at: int
    score: float
    level: float
    sections: Sequence[tuple[float, int]]


def ranked(title: Weighed, words: Sequence[Weighed], page_at: Callable[[int], int]) -> list[RankedPage]:
    """Return the pages that have any of the words, or the title, the best first."""
    first, *rest = _with_floors((title, *words))
    scores = _scores(first, rest)
    pages: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for number, score in scores.items():
        pages[page_at(number)].append((-score, number))
    levels = {page_at(number): weight for number, weight in first.weights.items() if weight}
    covers = _page_covers(rest, page_at)
    found = [_ranked(at, pages[at], levels.get(at, 0.0), covers.get(at, 0)) for at in pages]
    return sorted(found, key=lambda page: (-page.score, page.at))


def _with_floors(words: Sequence[Weighed]) -> Sequence[Weighed]:
    """Give each word its floor in the sections that have another, if the list of a word was cut."""
    if not any(word.floor for word in words):
        return words
    numbers = dict.fromkeys(number for word in words for number in word.weights)
    return [
        Weighed({at: word.weights.get(at, word.floor) for at in numbers}, 0.0, word.needed) for word in words
    ]


def _scores(title: Weighed, words: Iterable[Weighed]) -> dict[int, float]:
    """The score of each section. Weights are added up word by word, as a browser does, and rounded so."""
    totals, covers = dict(title.weights), dict[int, int]()
    for word in words:
        for number, weight in word.weights.items():
            totals[number] = totals.get(number, 0.0) + weight
        if word.needed:
            for number, weight in word.weights.items():
                if weight:
                    covers[number] = covers.get(number, 0) + 1
    return {number: total * covers.get(number, 0) ** 3 for number, total in totals.items()}


def _page_covers(words: Iterable[Weighed], page_at: Callable[[int], int]) -> Mapping[int, int]:
    """Return how many of the words that are needed each page has."""
    covers: dict[int, int] = defaultdict(int)
    for word in words:
        if word.needed:
            for page in {page_at(number) for number, weight in word.weights.items() if weight}:
                covers[page] += 1
    return covers


def _ranked(at: int, sections: list[tuple[float, int]], level: float, cover: int) -> RankedPage:
    sections.sort()
    found = [(-score, number) for score, number in sections]
    # A title or its beginning comes before all that is found by its words.
    return RankedPage(at, ALL * (cover + TITLE * level) + found[0][0], level, found)
