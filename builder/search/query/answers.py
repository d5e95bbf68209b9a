"""The answer to a query: pages with their sections and excerpts, out of any index.

`search` and `shown` of `themes/default/search/index.js` are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from msgspec import Struct

from builder.search.query.asked_words import AskedWord, wanted, whole_of
from builder.search.query.excerpt import excerpt
from builder.search.query.index_files import IndexedPage, QueriedIndex
from builder.search.query.meanings import Meanings, Split, Weighed, meant, titled, weighed
from builder.search.query.ranking import ALL, RankedPage, ranked
from builder.search.twin_sections import Section

FIRST, MORE = 4, 6
"""Pages that the browser shows at first, and then at once: among these, those come first whose titles or
headings were typed."""
SECTIONS = 4
"""Sections shown of a page."""
WORDS, WIDEST = 200, 1_000
"""Words that are kept with what they weigh, and the most sections that such a word is in: some 20 MB."""


class FoundSection(Struct, frozen=True):
    """A section that was found: its anchor and heading, both empty for a page's beginning; what it says."""

    anchor: str
    heading: str
    excerpt: str


class Hit(Struct, frozen=True):
    """A page that was found; `url` is without the base path, `sections` are at most four, the best first."""

    url: str
    title: str
    sections: tuple[FoundSection, ...]
    score: float

    @property
    def anchor(self) -> str:
        """The anchor of the best section."""
        return self.sections[0].anchor

    @property
    def section(self) -> str:
        """The heading of the best section."""
        return self.sections[0].heading

    @property
    def excerpt(self) -> str:
        """The best section's piece of text with the words."""
        return self.sections[0].excerpt


class _Answer(Struct, frozen=True):
    """The ranked pages; what was typed as a title; and the terms that are looked for in texts."""

    pages: Sequence[RankedPage]
    typed: str
    terms: AbstractSet[str]


class _Word(Struct, frozen=True):
    """The terms that a word may mean, and what they weigh."""

    names: tuple[str, ...]
    weighed: Weighed


class Answers(Struct):
    """Answers queries out of one index, and keeps what words weigh: most words of questions come again."""

    index: QueriedIndex
    _words: dict[AskedWord, _Word | Split] = {}

    def search(self, words: str, places: range, sections: int) -> Sequence[Hit]:
        """Return the pages at these places of the answer, with their best sections. Raises IndexMissing."""
        found = self._answer(whole_of(words), wanted(words, self.index.stop))
        batches = _batches(places, len(found.pages))
        shown = (self._in_order(found.pages[each.start : each.stop], found) for each in batches)
        every = list(chain.from_iterable(shown))
        begin = places.start - batches[0].start if batches else 0
        every = every[begin : begin + len(places)]
        return [_hit(page, rows[:sections], score, found.terms) for page, rows, score in every]

    def _answer(self, typed: str, words: Sequence[AskedWord]) -> _Answer:
        found: list[_Word] = []
        for at, word in enumerate(words):
            one = self._word(word)
            if isinstance(one, Split):
                return self._answer(typed, (*words[:at], *one.words, *words[at + 1 :]))
            found.append(one)
        title = weighed(self.index, titled(self.index, typed).values(), needed=False)
        pages = ranked(self.index, title, [word.weighed for word in found])
        told = (one.names for word, one in zip(words, found, strict=True) if not 0 < word.extra < 1)
        return _Answer(pages, typed, frozenset(chain.from_iterable(told)))

    def _word(self, word: AskedWord) -> _Word | Split:
        known = self._words.get(word)
        if known is None:
            found = meant(self.index, word)
            known = found if isinstance(found, Split) else self._weighed(word, found)
            if len(self._words) >= WORDS:
                self._words.clear()
            if isinstance(known, Split) or len(known.weighed.weights) <= WIDEST:
                self._words[word] = known
        return known

    def _weighed(self, word: AskedWord, found: Meanings) -> _Word:
        return _Word((*found,), weighed(self.index, found.values(), needed=not word.extra))

    def _in_order(self, batch: Sequence[RankedPage], answer: _Answer) -> list[_Shown]:
        """A batch of pages as they are shown: first those whose title or heading was typed."""
        shown = [self._shown(page, answer.typed) for page in batch]
        return [found for _, found in sorted(shown, key=lambda one: -one[0])]

    def _shown(self, ranked: RankedPage, typed: str) -> tuple[float, _Shown]:
        page, first = self.index.page(ranked.at), self.index.first_section(ranked.at)
        rows = [page[2][at - first] for at in _good(ranked)]
        same = [page[2][0]] if ranked.level else [row for row in rows if whole_of(row[1]) == typed]
        every = list(dict.fromkeys([*same, *rows]))
        # Of a page that is not shown for its beginning, its name says enough.
        sections = tuple(row for at, row in enumerate(every) if row[0] or not at)[:SECTIONS]
        return ranked.level or len(same) / ALL, (page, sections, ranked.score)


_Shown = tuple[IndexedPage, tuple[Section, ...], float]


def _batches(places: range, count: int) -> Sequence[range]:
    """The pages that are shown at once, of `count`, among which these places are."""
    starts = (0, *range(FIRST, min(places.stop, count), MORE))
    every = (range(at, min(at + (MORE if at else FIRST), count)) for at in starts)
    return [one for one in every if one.stop > places.start]


def _good(page: RankedPage) -> Iterator[int]:
    """The numbers of the sections that are not much worse than the best one."""
    return (number for score, number in page.sections if score >= page.sections[0][0] / 4)


def _hit(page: IndexedPage, sections: Sequence[Section], score: float, terms: AbstractSet[str]) -> Hit:
    found = (FoundSection(anchor, heading, excerpt(text, terms)) for anchor, heading, text in sections)
    return Hit(page[0], page[1], tuple(found), score)
