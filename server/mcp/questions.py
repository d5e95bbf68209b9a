"""Questions in whole sentences: agents ask them where readers type a few words.

The site's search needs each word that is typed; of a question, only the words that mean something are given
to it. Its pages are joined with those whose titles and descriptions, in the list for agents, have the words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from builder.search.terms import distinct
from server.mcp.built_site import PageEntry

FEWEST, EMPTY = 4, 2
"""Words that a question has at least, and those of them that say nothing."""
_WORD = re.compile(r"[^\s?!,;\"()]+")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """
    a about all an and any anyone anything are as at be been between both but by can could did do does
    during each ever every everything first for from get gets give given goes got had happen happens has
    have her here his how i if in into is it its just let lets like make makes made many may me might
    more most much must my need no not of on once one only or other our ours over own per please same
    shall she should so some somebody someone something such tell than that the their them then there
    these they this those three to too two under us use used using very want wants was way we were what
    when where whether which while who whom whose why will with within without would you your
        """,
    )
)
"""English words that say nothing of what is searched for. Words of other languages all count."""
_TITLE, _PATH, _ABOUT = 3, 2, 1
_MOST = 4
_JOINED = 6
"""How slowly a place in a ranking loses its weight when two are joined."""


def words_of(query: str) -> Sequence[str] | None:
    """Return the words of a question that mean something; None for what is none, or has no such words."""
    words = _WORD.findall(query)
    told = [word for word in words if word.lower() not in _EMPTY]
    is_question = len(words) >= FEWEST and len(words) - len(told) >= EMPTY
    return told if is_question and told else None


class Descriptions:
    """Pages by what their titles, addresses and descriptions say."""

    def __init__(self, pages: Sequence[PageEntry]) -> None:
        self._pages = pages
        self._weights: dict[str, dict[int, int]] = {}
        for number, page in enumerate(pages):
            for text, weight in ((page.title, _TITLE), (page.path, _PATH), (page.description, _ABOUT)):
                self._add(number, text, weight)

    def _add(self, number: int, text: str, weight: int) -> None:
        for term in distinct(text):
            of_term = self._weights.setdefault(term, {})
            of_term[number] = min(of_term.get(number, 0) + weight, _MOST)

    def find(self, words: Iterable[str], most: int) -> Sequence[PageEntry]:
        """The pages that have most of these words, the rare ones above all."""
        scores: dict[int, float] = {}
        for term in {term for word in words for term in distinct(word)}:
            found = self._weights.get(term, {})
            rarity = math.log(1 + len(self._pages) / max(len(found), 1))
            for number, weight in found.items():
                scores[number] = scores.get(number, 0.0) + rarity * weight / (weight + 1.5)
        best = sorted(scores, key=lambda number: -scores[number])
        return [self._pages[number] for number in best[:most]]


def joined(*rankings: Sequence[str]) -> Sequence[str]:
    """Join rankings of addresses into one; the first of each is among the first of all."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, address in enumerate(ranking):
            scores[address] = scores.get(address, 0.0) + 1 / (_JOINED + place)
    order = sorted(scores, key=lambda address: -scores[address])
    first = [*order[:1], *(ranking[0] for ranking in rankings if ranking)]
    return list(dict.fromkeys([*first, *order]))
