"""The order of pages and sections, as `rank` of `themes/default/search/index.js` has it.

Of a few words, pages that have more of them come first. In a question some words are there by chance: a
section weighs as much as the rare words that it has.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from builder.search.postings import SLOT
from builder.search.query.index_files import QueriedIndex
from builder.search.query.meanings import Weighed, best_of

ALL = 1e9
"""More than words can weigh: a page with more of them is always before one with fewer."""
TITLE = 99
"""The words that a title is worth that is what was typed, or begins so."""
WORDS_OF_QUESTION, NEEDED_OF_QUESTION = 5, 3
"""Words that make a query a question, and how many of them must be such that say something."""
OF_PAGE = 0.2
"""How much of a page's score in a question is of the whole page, and not of its best section."""


class RankedPage(Struct, frozen=True):
    """A page by its number: how well it fits, how much its title does, and its sections, the best first."""

    at: int
    score: float
    level: float
    sections: Sequence[tuple[float, int]]


class _Page(Struct):
    """The sum of the best of all words in a page, how much of the query it covers, and its sections."""

    total: float = 0.0
    cover: float = 0.0
    sections: list[tuple[float, int]] = []


def ranked(index: QueriedIndex, title: Weighed, words: Sequence[Weighed]) -> list[RankedPage]:
    """Return the pages that have any of the words, or the title, the best first."""
    every = _with_floors(index, (title, *words))
    asks = is_question(words)
    values = _rarities(every, index.pages) if asks else [float(word.needed) for word in every]
    found = _pages(every, values)
    for number, score in _scores(every, values, 1 if asks else 3).items():
        found[index.page_of[number // SLOT]].sections.append((-score, number))
    result = [_ranked(at, page, every[0].best.get(at, 0.0), asks=asks) for at, page in found.items()]
    return sorted(result, key=lambda page: (-page.score, page.at))


def is_question(words: Sequence[Weighed]) -> bool:
    """Return whether a query has so many words that a good page need not have all."""
    return len(words) >= WORDS_OF_QUESTION and sum(word.needed for word in words) >= NEEDED_OF_QUESTION


def _with_floors(index: QueriedIndex, words: Sequence[Weighed]) -> Sequence[Weighed]:
    """Give each word its floor in the sections that have another, if the list of a word was cut."""
    if not any(word.floor for word in words):
        return words
    numbers = dict.fromkeys(number for word in words for number in word.weights)
    return [_whole(index, word, numbers) if word.floor else word for word in words]


def _whole(index: QueriedIndex, word: Weighed, numbers: Iterable[int]) -> Weighed:
    weights = {at: word.weights.get(at, word.floor) for at in numbers}
    return Weighed(weights, best_of(index, weights), 0.0, word.needed)


def _rarities(words: Sequence[Weighed], pages: int) -> list[float]:
    """Return the share of each word in a question: more for one that few of all pages have."""
    each = [math.log(1 + pages / (1 + len(word.best))) if word.needed else 0.0 for word in words]
    whole = 0.0
    for one in each:  # `sum` rounds otherwise than a browser
        whole += one
    return [one / whole for one in each]


def _pages(words: Sequence[Weighed], values: Sequence[float]) -> dict[int, _Page]:
    found: dict[int, _Page] = defaultdict(_Page)
    for word, value in zip(words, values, strict=True):
        for at, weight in word.best.items():
            page = found[at]
            page.total += weight
            page.cover += value
    return found


def _scores(words: Sequence[Weighed], values: Sequence[float], power: int) -> dict[int, float]:
    """The score of each section. Weights are added up word by word, as a browser does, and rounded so."""
    totals, covers = dict[int, float](), dict[int, float]()
    for word, value in zip(words, values, strict=True):
        for number, weight in word.weights.items():
            totals[number] = totals.get(number, 0.0) + weight
        if value:
            for number, weight in word.weights.items():
                if weight:
                    covers[number] = covers.get(number, 0.0) + value
    return {number: total * covers.get(number, 0.0) ** power for number, total in totals.items()}


def _ranked(at: int, page: _Page, level: float, *, asks: bool) -> RankedPage:
    page.sections.sort()
    sections = [(-score, number) for score, number in page.sections]
    best = sections[0][0]
    fit = (1 - OF_PAGE) * best + OF_PAGE * page.total * page.cover if asks else ALL * page.cover + best
    # A title or its beginning comes before all that is found by its words.
    return RankedPage(at, ALL * TITLE * level + fit, level, sections)
