"""An index that is kept, so that the next one is had without the pages that stayed as they were.

A page's sections have numbers of their own, so a changed page that takes as many slots as before changes
the rows of its own terms and of those that it had, and no others. These rows are in the files of the index
before. A row that is cut to the weightiest sections may have lost one that comes in again: such a row is made
of all pages.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

from builder.search.part import Part
from builder.search.postings import SLOT, WIDE, changed_row, numbered, row, slots
from builder.search.shards import (
    Arranged,
    Begun,
    File,
    doc,
    entry,
    named,
    pages_a_file,
    pages_of,
    twins_of,
    words_file,
)
from builder.search.term_files import Gone, Load, TermFiles

MOST_CHANGED = 20
"""Pages; for more the whole index is quicker made anew."""

Change = tuple[Part, Part]
"""The part of a page in the index before, and the one of now."""


class IndexedPage(Struct, frozen=True, array_like=True):
    """A page's record: a digest of all that it was made of, and how many sections it has."""

    path: str
    key: bytes
    sections: int


class Index(Struct, frozen=True, array_like=True):
    """All pages in order; the digests of the files of their sections, and their addresses where excerpts are
    cut from twins, as `Begun` has them; how often headings have each word; and the script that cuts excerpts,
    empty without one."""

    pages: tuple[IndexedPage, ...]
    docs: tuple[str, ...]
    twins: tuple[str, ...]
    arranged: Arranged
    used: dict[str, int]
    script: str = ""

    @property
    def names(self) -> list[str]:
        """The names of all files, but for the entry."""
        twins = self.twins or [""] * len(self.docs)
        of_docs = [named(f"d{number}", self.docs[number]) for number, twin in enumerate(twins) if not twin]
        return [*of_docs, *self.names_of_terms, named("w", self.arranged.words)]

    @property
    def names_of_terms(self) -> list[str]:
        """The names of the files of terms."""
        return [named(f"t{number}", digest) for number, digest in enumerate(self.arranged.terms)]


class IndexUpdate(Struct, frozen=True):
    """An index, and those of its files that are new; others are given by their names alone."""

    index: Index
    files: tuple[File, ...]
    staying: tuple[str, ...] = ()


def index_of(keys: Mapping[str, bytes], begun: Begun, arranged: Arranged, script: str = "") -> Index:
    """Return the index of the pages with these keys by path, whose files were made."""
    gathering = begun.gathering
    counted = zip(keys.items(), gathering.counts, strict=True)
    pages = tuple(IndexedPage(path, key, count) for (path, key), count in counted)
    return Index(pages, begun.docs, begun.twins, arranged, dict(gathering.used), script)


def changed(
    index: Index,
    keys: Mapping[str, bytes],
    changes: Mapping[str, Change],
    load: Load,
    part_of: Callable[[str], Part],
) -> IndexUpdate | None:
    """The index of the pages with these keys, in this order; `changes` has at least those that have changed.

    `load` gives files of the index before, `part_of` the part of any page as it is now. None when the index
    cannot be had so: then it is to be made of all pages.
    """
    if [page.path for page in index.pages] != list(keys):
        return None
    places = [number for number, page in enumerate(index.pages) if page.key != keys[page.path]]
    if len(places) > MOST_CHANGED or not all(_fits(index.pages[at], changes) for at in places):
        return None
    try:
        return _Changing(index, keys, changes, places, part_of).update(TermFiles(index.arranged, load))
    except Gone:
        return None


def _fits(page: IndexedPage, changes: Mapping[str, Change]) -> bool:
    """Return whether both parts are known, and the new one takes as many slots."""
    before, now = changes.get(page.path, (None, None))
    if before is None or now is None or len(before.sections) != page.sections:
        return False
    return slots(len(now.sections)) == slots(page.sections)


class _Changing(Struct, frozen=True):
    """An index in which the pages at some `places` change."""

    index: Index
    keys: Mapping[str, bytes]
    changes: Mapping[str, Change]
    places: Sequence[int]
    part_of: Callable[[str], Part]

    def update(self, terms: TermFiles) -> IndexUpdate:
        """Return the index of now. Raises Gone."""
        self._change_terms(terms)
        arranged, files = terms.finish()
        docs, twins = list(self.index.docs), list(self.index.twins)
        files += self._docs(docs, twins)
        used = self._used()
        words = self.index.arranged.words
        if used != self.index.used:
            words, file = words_file(used)
            files.append(file)
        arranged, script = arranged.with_words(words), self.index.script
        index = Index(tuple(self._pages()), tuple(docs), tuple(twins), arranged, used, script)
        new = {name for name, _ in files}
        staying = tuple(name for name in index.names if name not in new)
        return IndexUpdate(index, (*files, _entry(index)), staying)

    def _pages(self) -> Iterator[IndexedPage]:
        for page in self.index.pages:
            key = self.keys[page.path]
            if page.key == key:
                yield page
            else:
                yield IndexedPage(page.path, key, len(self.changes[page.path][1].sections))

    def _docs(self, docs: list[str], twins: list[str]) -> list[File]:
        """The files of sections in which pages have changed."""
        paths, per = list(self.keys), pages_a_file(len(self.keys))
        files = []
        for number in sorted({at // per for at in self.places}):
            parts = [self.part_of(path) for path in paths[number * per : (number + 1) * per]]
            docs[number], file = doc(number, parts)
            twin = "".join(twins_of(parts, self.index.script)) if per == 1 else ""
            if twins:
                twins[number] = twin
            files += [] if twin else [file]
        return files

    def _used(self) -> dict[str, int]:
        """Count how often headings have each word."""
        used = Counter(self.index.used)
        for at in self.places:
            before, now = self.changes[self.index.pages[at].path]
            used.subtract(before.headings)
            used.update(now.headings)
        return dict(+used)

    def _change_terms(self, terms: TermFiles) -> None:
        lost = set()
        for term, (old, new) in self._moved().items():
            made = changed_row(term, terms.row(term), old, new)
            if made is None:
                lost.add(term)
            else:
                terms.put(term, made)
        for term, sections in self._sections(lost).items() if lost else ():
            terms.put(term, row(term, sections) if sections else b"")

    def _moved(self) -> Mapping[str, tuple[list[int], list[int]]]:
        """For each term that moves, the sections that had it and have it now, of the pages that change."""
        bases = [0, *accumulate(SLOT * slots(page.sections) for page in self.index.pages)]
        moved: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for at in self.places:
            before, now = self.changes[self.index.pages[at].path]
            old, new = numbered(before.terms, bases[at]), numbered(now.terms, bases[at])
            for term in {*old, *new}:
                if old.get(term) != new.get(term):
                    moved[term][0].extend(old.get(term, ()))
                    moved[term][1].extend(new.get(term, ()))
        return moved

    def _sections(self, wanted: set[str]) -> dict[str, array[int]]:
        """The sections that have some terms, of all pages."""
        found: dict[str, array[int]] = {term: array(WIDE) for term in wanted}
        base = 0
        for part in map(self.part_of, self.keys):
            for number, (terms, weights) in enumerate(part.terms, base):
                names = terms.split()
                if not wanted.isdisjoint(names):
                    for name, weight in zip(names, weights, strict=True):
                        if name in wanted:
                            found[name].append(number << 8 | weight)
            base += slots(len(part.sections)) * SLOT
        return found


def _entry(index: Index) -> File:
    counts = [page.sections for page in index.pages]
    pages = pages_of(index.docs, index.twins if any(index.twins) else (), index.script)
    return entry(counts, pages, index.arranged.keys, index.arranged.terms, index.arranged.words)
