"""The index of pages that change while they are searched: groups of pages, of which an edit changes one.

A page stays in its group, so that a page more or less changes no other one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain

from msgspec import Struct

from builder.search.packing import KEY
from builder.search.part import Part
from builder.search.postings import SLOT, WIDE, Found, gathered, slots, steps
from builder.search.query.answers import Answers, Hit
from builder.search.query.index_files import IndexedPage, Row
from builder.search.query.misspelt import ListedWord, stems
from builder.search.terms import STOP

PAGES = 256
"""Pages of a group, about: a group is made anew in a twentieth of a second."""
MOST_BEGINNINGS = 400
"""Terms with one beginning that are looked at."""


class _Group(Struct, frozen=True):
    """Some pages by their paths, and the sections of their terms; `terms` are sorted."""

    parts: Mapping[str, Part]
    found: Found
    terms: Sequence[str]
    slots: Sequence[int]
    sections: int


def _group(parts: Mapping[str, Part]) -> _Group:
    found = dict(gathered(parts.values()).found)
    counts = [len(part.sections) for part in parts.values()]
    return _Group(parts, found, sorted(found), [slots(count) for count in counts], sum(counts))


class _Index:
    """All groups as one index."""

    def __init__(self, groups: Sequence[_Group]) -> None:
        self._groups = groups
        each = [count for group in groups for count in group.slots]
        self._first = [0, *accumulate(each)]
        self.page_of = [page for page, count in enumerate(each) for _ in range(count)]
        self.paths = [path for group in groups for path in group.parts]
        self._parts = [part for group in groups for part in group.parts.values()]
        self._bases = [0, *accumulate(SLOT * sum(group.slots) for group in groups)]
        self.sections, self.pages, self.stop = sum(group.sections for group in groups), len(each), STOP
        self._listed: Sequence[ListedWord] | None = None

    def rows(self, terms: Sequence[str], start: str = "") -> Mapping[str, Row]:
        """Return the rows of these terms, and of what begins much like `start`."""
        every = {*terms, *(self._beginning(start[:KEY]) if start else ()), *self._beginning(start)}
        rows = ((term, self._sections(term)) for term in sorted(every))
        return {term: steps(term, sections) for term, sections in rows if sections}

    def _beginning(self, start: str) -> Iterator[str]:
        for group in self._groups if start else ():
            first = bisect_left(group.terms, start)
            last = bisect_left(group.terms, f"{start}\U0010ffff", first, len(group.terms))
            yield from group.terms[first : min(last, first + MOST_BEGINNINGS)]

    def _sections(self, term: str) -> array[int]:
        found = array(WIDE)
        for group, base in zip(self._groups, self._bases, strict=False):
            if (own := group.found.get(term)) is not None:
                found.extend(map((base << 8).__add__, own))
        return found

    def words(self) -> Sequence[ListedWord]:
        """Return the words of titles, headings and descriptions, with their terms."""
        if self._listed is None:
            self._listed = stems(sorted(set(chain.from_iterable(part.headings for part in self._parts))))
        return self._listed

    def page(self, number: int) -> IndexedPage:
        """Return a page by its number; its address is its path here."""
        part = self._parts[number]
        return self.paths[number], part.title, part.sections

    def first_section(self, page: int) -> int:
        """Return the number of a page's first section."""
        return self._first[page] * SLOT


class LiveIndex:
    """Searches pages by their paths; asked again, only groups whose pages have changed are made anew."""

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}
        self._groups: dict[int, _Group] = {}
        self._answers = Answers(_Index(()))

    def hold(self, parts: Mapping[str, Part]) -> None:
        """Take the parts of all pages there are, by path: the very same objects for what has not changed."""
        own: dict[int, dict[str, Part]] = defaultdict(dict)
        for path, number in self._numbers(parts).items():
            own[number][path] = parts[path]
        known = self._groups
        groups = {
            number: known[number] if number in known and _same(known[number].parts, its) else _group(its)
            for number, its in own.items()
        }
        if len(groups) != len(known) or any(group is not known.get(at) for at, group in groups.items()):
            self._groups, self._answers = groups, Answers(_Index([*groups.values()]))

    def _numbers(self, parts: Mapping[str, Part]) -> Mapping[str, int]:
        """The group of each page; new pages fill the last group, then others behind it."""
        found = {path: number for path, number in self._number_of.items() if path in parts}
        last = max(found.values(), default=0)
        size = sum(number == last for number in found.values())
        for path in parts:
            if path not in found:
                last, size = (last, size + 1) if size < PAGES else (last + 1, 1)
                found[path] = last
        self._number_of = found
        return found

    def search(self, words: str, limit: int, offset: int = 0) -> Sequence[Hit]:
        """Return the pages that answer a query, best first; the `url` of each is its path."""
        return self._answers.search(words, range(offset, offset + limit), 1)


def _same(one: Mapping[str, Part], other: Mapping[str, Part]) -> bool:
    return len(one) == len(other) and all(one.get(path) is part for path, part in other.items())
