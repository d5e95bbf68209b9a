"""The words of a query, as `themes/default/search/terms.js` makes them of what readers type."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.search.terms import LONGEST_WHOLE, characters_of, fold, stem
from builder.unicode import encoded, normal

_PARTS = lazy(r"[^-./:_@#$%+~]+")
_SPACE = frozenset("\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | frozenset(
    map(chr, range(0x2000, 0x200B))
)
"""What JavaScript takes for a space."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUNS = lazy(f"([{_CJK}]+)|[^{_CJK}]+")
_DIGIT = lazy("[0-9]")
NEVER, SMALL = 10.0, 0.3
"""How well an extra word fits: a symbol beside its parts, and a word that says nothing beside others."""


class AskedWord(Struct, frozen=True):
    """A word as it was typed and as a term. `extra` is how well it fits if it need not be met, else 0.

    The `last` may be the beginning of a word. A `compound` is of a symbol that has parts, or stands in one.
    """

    raw: str
    term: str
    extra: float = 0.0
    last: bool = False
    compound: bool = False


class WrittenTerm(Struct, frozen=True):
    """A term, what was written for it, and where that begins and ends in its word."""

    raw: str
    term: str
    start: int
    end: int


def wanted(query: str, stop: frozenset[str]) -> tuple[AskedWord, ...]:
    """Return the words that a query asks for, none twice. `stop` are terms that say nothing."""
    pieces = pieces_of(normal("NFKC", _beginning(query)))
    last = len(pieces) - 1 if query and query[-1] not in _SPACE else -1
    found: dict[str, AskedWord] = {}
    for at, piece in enumerate(pieces):
        for word in _words(piece, at == last, len(pieces) == 1, stop):
            found.setdefault(word.term, word)
    every = tuple(found.values())
    if all(word.term in stop for word in every):
        return every
    return tuple(_small(word) if word.term in stop else word for word in every)


def _beginning(query: str) -> str:
    """The part of a query that is looked at: as many units of UTF-16 as a browser looks at."""
    if query.isascii():
        return query[:LONGEST_WHOLE]
    units = encoded(query).decode().encode("utf-16-le")[: 2 * LONGEST_WHOLE]
    return units.decode("utf-16-le", "ignore")


def _words(piece: str, last: bool, alone: bool, stop: frozenset[str]) -> Iterator[AskedWord]:
    """Return the words of a piece, the whole symbol first; one that is `alone` may have no word."""
    parts = parts_of(piece)
    compound = piece != (parts[0] if parts else piece)
    terms = [term for part in parts for term in terms_of(part)]
    if compound or (not terms and alone):
        symbol = fold(piece)
        says = any(term.term not in stop for term in terms)
        yield AskedWord(symbol, symbol, NEVER if says else 0.0, last, compound)
    for term in terms:
        yield AskedWord(term.raw, term.term, 0.0, last, compound)


def _small(word: AskedWord) -> AskedWord:
    return AskedWord(word.raw, word.term, SMALL, word.last, word.compound)


def pieces_of(text: str) -> list[str]:
    """Return the words and symbols of a text in their order."""
    return [piece for run in characters_of(text).split() if (piece := _stripped(run))]


def _stripped(run: str) -> str:
    """A run of a symbol's characters without those that it does not begin and end with."""
    return run.lstrip(":+~%").rstrip("-./:@~%")


def places_of(text: str) -> Iterator[tuple[int, str]]:
    """Return the words and symbols of a text, each with where it begins."""
    same = characters_of(text)
    at = 0
    for run in same.split():
        at = same.index(run, at)
        if piece := _stripped(run):
            yield at + run.index(piece), piece
        at += len(run)


def parts_of(piece: str) -> list[str]:
    """Return the words that a symbol is made of."""
    return _PARTS.findall(piece)


def part_places(piece: str) -> Iterator[tuple[int, str]]:
    """Return the words that a symbol is made of, each with where it begins."""
    return ((found.start(), found[0]) for found in _PARTS.finditer(piece))


@lru_cache(maxsize=20_000)
def terms_of(part: str) -> tuple[WrittenTerm, ...]:
    """Return the terms of a word without symbols."""
    found: list[WrittenTerm] = []
    for run in _RUNS.finditer(fold(part)):
        raw, start = run[0], run.start()
        if run[1]:
            pairs = ((at, raw[at : at + 2]) for at in range(max(1, len(raw) - 1)))
            found += (_written(pair, pair, start + at, part) for at, pair in pairs)
        elif len(raw) > 1 or _DIGIT.search(raw):
            found.append(_written(raw, stem(raw), start, part))
    return tuple(found)


def _written(raw: str, term: str, start: int, part: str) -> WrittenTerm:
    """Folded, a word may be a little longer than it was written: its end stays in the word."""
    return WrittenTerm(raw, term, start, min(start + len(raw), len(part)))


def whole_of(text: str) -> str:
    """Return all words of a text as one term, a mark before each that no other term has."""
    return "".join(f"!{part}" for piece in pieces_of(fold(text)) for part in parts_of(piece))
