"""Everything in an index that a word of a query may mean, with how well it fits, and what it weighs where.

It is `meant` and `weigh` of `themes/default/search/index.js`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from msgspec import Struct

from builder.search.postings import SLOT
from builder.search.query.asked_words import AskedWord
from builder.search.query.index_files import IndexMissing, QueriedIndex, Row
from builder.search.query.misspelt import corrected, listed
from builder.search.terms import stem

PREFIXES = 60
"""Terms that a beginning may stand for."""
AS_BEGINNING, AS_MISSPELT = 0.6, 0.4
"""How well a longer word and a similar one fit."""
TITLE_ITSELF = 9.0


class Meaning(Struct, frozen=True):
    """The row of a term, and how well it fits; `of` is the row of its other forms, to which it adds."""

    row: Row
    fit: float
    of: Row | None = None


Meanings = dict[str, Meaning]


class Split(Struct, frozen=True):
    """Two words that were written as one."""

    words: tuple[AskedWord, ...]


class Weighed(Struct, frozen=True):
    """The weight of a word in each section that has it, and the most in each page that has it.

    A list that was cut may lack sections: `floor` is for those. Pages with more of the words that are
    `needed` come first.
    """

    weights: Mapping[int, float]
    best: Mapping[int, float]
    floor: float
    needed: bool


def meant(index: QueriedIndex, word: AskedWord) -> Meanings | Split:
    """Return what a word may mean: itself, what begins like that, what is spelt much like it."""
    terms = (word.term, word.raw)
    rows = index.rows(terms, word.raw if word.last and word.raw[1:] else "")
    found: Meanings = {}
    _add(found, word.term, word.extra or 1.0, rows.get(word.term))
    _add_exact(found, word, rows)
    if 0 < word.extra < 1 and not word.last:
        return found
    unsure = not found and bool(word.raw[3:]) and not word.extra
    if not found:
        rows = index.rows(terms, word.raw)
    if word.last or not found:
        _add_longer(found, word, rows)
    return _misspelt(index, word, rows) if not found and unsure else found


def _add(found: Meanings, name: str, fit: float, row: Row | None) -> None:
    if row is not None and not (name in found and found[name].fit >= fit):
        found[name] = Meaning(row, fit)


def _add_exact(found: Meanings, word: AskedWord, rows: Mapping[str, Row]) -> None:
    """Add the very word, which titles and headings have beside its term."""
    own, other = rows.get(word.raw), rows.get(word.term)
    if not word.compound and word.raw != word.term and own is not None and other is not None:
        found[word.raw] = Meaning(own, 1.0, other)


def _add_longer(found: Meanings, word: AskedWord, rows: Mapping[str, Row]) -> None:
    """Add what begins as the word does, the shortest first."""
    raw, term = word.raw, word.term
    starts = (raw, term if len(raw) - len(term) < 2 else raw, _without_in(raw))
    names = [name for name in _names(rows) if name != term and name.startswith(starts)]
    names.sort(key=len)
    for name in names[:PREFIXES]:
        _add(found, name, AS_BEGINNING * len(raw) / max(len(name), len(raw)), rows[name])


def _without_in(raw: str) -> str:
    """A word without the beginning of "ing"."""
    for ending in ("in", "i"):
        if raw.endswith(ending) and len(raw) - len(ending) >= 3:
            return raw[: -len(ending)]
    return raw


def _names(rows: Mapping[str, Row]) -> list[str]:
    """The terms of rows without titles, in the order of JavaScript: numbers come first."""
    names = [name for name in rows if name[:1] != "!"]
    if not any(name[:1] in _DIGITS for name in names):
        return names
    numbers = sorted((name for name in names if _is_place(name)), key=int)
    return [*numbers, *(name for name in names if not _is_place(name))]


_DIGITS = frozenset("0123456789")


def _is_place(name: str) -> bool:
    """Return whether JavaScript takes a name for the place of an element."""
    return name.isascii() and name.isdigit() and str(int(name)) == name and int(name) < 2**32 - 1


def _misspelt(index: QueriedIndex, word: AskedWord, rows: Mapping[str, Row]) -> Meanings | Split:
    """Words of headings with their endings, and what else begins alike."""
    others = listed((name, name) for name in _names(rows))
    correction = corrected(word.raw, word.term, [*index.words(), *others])
    if correction.split:
        return Split(tuple(AskedWord(part, stem(part)) for part in correction.split))
    found: Meanings = {}
    for name in correction.terms:
        _add(found, name, AS_MISSPELT, index.rows([name]).get(name))
    return found


def titled(index: QueriedIndex, title: str) -> Meanings:
    """Return all titles that begin with what was typed, as if they were one more word."""
    rows = index.rows((), title) if title else {}
    return {
        name: Meaning(row, TITLE_ITSELF if name == title else 1.0)
        for name, row in rows.items()
        if name.startswith(title)
    }


def weighed(index: QueriedIndex, found: Iterable[Meaning], *, needed: bool) -> Weighed:
    """Weigh what a word may mean. Raises IndexMissing where a row names a section that there is not."""
    weights: dict[int, float] = {}
    floor = 0.0
    for meaning in found:
        row = meaning.row
        rarity = meaning.fit * math.log(1 + index.sections / ((meaning.of or row)[0] + 1))
        _put(weights, row, rarity, adds=meaning.of is not None)
        if len(row) < 2 * row[0]:
            floor = max(floor, rarity * min(row[2::2]) / 2)
    return Weighed(weights, best_of(index, weights), floor, needed)


def best_of(index: QueriedIndex, weights: Mapping[int, float]) -> dict[int, float]:
    """Return the greatest weight in each page. Raises IndexMissing."""
    found: dict[int, float] = {}
    try:
        for number, weight in weights.items():
            page = index.page_of[number // SLOT]
            if weight > found.get(page, 0.0):
                found[page] = weight
    except IndexError as error:
        raise IndexMissing("a section's page") from error
    return found


def _put(weights: dict[int, float], row: Row, rarity: float, *, adds: bool) -> None:
    number = 0
    for step, weight in zip(row[1::2], row[2::2], strict=True):
        number += step
        mine, before = rarity * weight, weights.get(number, 0.0)
        weights[number] = before + mine if adds else max(before, mine)
