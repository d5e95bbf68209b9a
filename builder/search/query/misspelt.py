"""Words that a misspelt one may mean, as `themes/default/ondemand/misspelt.js` finds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from builder.search.terms import stem

NEAREST = 6


class ListedWord(Struct, frozen=True):
    """A word as it is written, its term, and its letters as bits: most words have too many others."""

    word: str
    term: str
    letters: int


class Correction(Struct, frozen=True):
    """The terms that may be meant, or the two words that were written as one."""

    terms: tuple[str, ...] = ()
    split: tuple[str, ...] = ()


def listed(words: Iterable[tuple[str, str]]) -> list[ListedWord]:
    """Return words with their terms as they are compared."""
    return [ListedWord(word, term, _letters(word)) for word, term in words]


def near(one: str, other: str, edits: int) -> bool:
    """Return whether so many edits make one word of the other; changing neighbours' places is one edit."""
    if abs(len(one) - len(other)) > edits:
        return False
    at = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        at += 1
    one, other = one[at:], other[at:]
    if not one or not other:
        return True
    return edits > 0 and _after_an_edit(one, other, edits - 1)


def _after_an_edit(one: str, other: str, edits: int) -> bool:
    return (
        near(one[1:], other[1:], edits)
        or near(one[1:], other, edits)
        or near(one, other[1:], edits)
        or (one[0:1] == other[1:2] and other[0:1] == one[1:2] and near(one[2:], other[2:], edits))
    )


def corrected(raw: str, term: str, words: Sequence[ListedWord]) -> Correction:
    """Return what a word may mean that is not in the index: `raw` as typed, and as a term."""
    found = _alike(raw, term, words, 1)
    if not found and (split := _split(raw, words)):
        return Correction(split=split)
    if not found and len(raw) > 7:
        found = _alike(raw, term, words, 2)
    # Few mistake the first letter.
    found.sort(key=lambda word: word.word[:1] != raw[0])
    return Correction(tuple(word.term for word in found[:NEAREST]))


def _alike(raw: str, term: str, words: Sequence[ListedWord], edits: int) -> list[ListedWord]:
    mine, its, most = _letters(raw), _letters(term), 2 * edits
    return [
        word
        for word in words
        if len(word.word) > 2
        and (
            ((word.letters ^ mine).bit_count() <= most and near(raw, word.word, edits))
            or ((word.letters ^ its).bit_count() <= most and near(term, word.word, edits))
        )
    ]


def _split(raw: str, words: Sequence[ListedWord]) -> tuple[str, ...]:
    known = {word.word for word in words}
    for at in range(3, len(raw) - 2):
        if raw[:at] in known and raw[at:] in known:
            return raw[:at], raw[at:]
    return ()


def _letters(word: str) -> int:
    found = 0
    for letter in word:
        found |= 1 << (ord(letter) & 63)
    return found


def stems(words: Iterable[str]) -> list[ListedWord]:
    """Return the listed words of an index, each with the term that it is."""
    return listed((word, stem(word)) for word in words)
