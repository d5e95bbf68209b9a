"""An index that is kept, so that the next one is had without the pages that stayed as they were.

A page's sections have numbers of their own, so a changed page that takes as many slots as before changes
the rows of its own terms and of those that it had, and no others.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

from builder.search.part import Part
from builder.search.postings import SLOT, Found, gathered, row, slots
from builder.search.shards import File, above, doc, doc_name, in_order, pages_a_file

MOST_CHANGED = 20
"""Pages; for more the whole index is quicker made anew."""

Term = tuple[bytes, bytes]
"""The bytes of its sections, and its row."""


class Page(Struct, frozen=True, array_like=True):
    """What is kept of a page: a digest of all that it was made of, its sections, the words of its headings
    and the digest of the file that its sections are in."""

    path: str
    key: bytes
    sections: int
    words: frozenset[str]
    doc: str


class Index(Struct, frozen=True, array_like=True):
    """All pages in order, and all terms in order."""

    pages: tuple[Page, ...]
    terms: dict[str, Term]


class Made(Struct, frozen=True):
    """An index with its files; those of pages that stayed are given by their names alone."""

    index: Index
    files: tuple[File, ...]
    staying: tuple[str, ...] = ()


def made(parts: Mapping[str, Part], keys: Mapping[str, bytes]) -> Made | None:
    """The index of these pages by path, with their keys; None for more pages than are worth it."""
    if pages_a_file(len(parts)) > 1:
        return None
    docs = [doc(number, [part]) for number, part in enumerate(parts.values())]
    pages = tuple(
        _page(path, keys[path], part, digest)
        for (path, part), (digest, _) in zip(parts.items(), docs, strict=True)
    )
    found = gathered(list(parts.values()))
    terms = {term: (sections.tobytes(), row(term, sections)) for term, sections in found.items()}
    return _whole(pages, terms, [file for _, file in docs])


def changed(index: Index, parts: Mapping[str, Part], keys: Mapping[str, bytes]) -> Made | None:
    """The index of the pages with these keys, in this order; `parts` has at least those that have changed.

    None when it cannot be had so: then it is to be made of all pages.
    """
    if [page.path for page in index.pages] != list(keys):
        return None
    places = [number for number, page in enumerate(index.pages) if page.key != keys[page.path]]
    if len(places) > MOST_CHANGED or any(not _fits(index.pages[at], parts) for at in places):
        return None
    bases = [0, *accumulate(SLOT * slots(page.sections) for page in index.pages)]
    pages, files, terms = list(index.pages), [], dict(index.terms)
    for at in places:
        path = pages[at].path
        digest, file = doc(at, [parts[path]])
        files.append(file)
        pages[at] = _page(path, keys[path], parts[path], digest)
        terms |= _moved(terms, gathered([parts[path]], bases[at]), bases[at], bases[at + 1])
    new = frozenset(places)
    staying = tuple(doc_name(at, page.doc) for at, page in enumerate(pages) if at not in new)
    return _whole(tuple(pages), terms, files, staying)


def _fits(page: Page, parts: Mapping[str, Part]) -> bool:
    """Whether there is a new part, and it takes as many slots."""
    part = parts.get(page.path)
    return part is not None and slots(len(part.sections)) == slots(page.sections)


def _page(path: str, key: bytes, part: Part, digest: str) -> Page:
    return Page(path, key, len(part.sections), part.headings, digest)


def _whole(
    pages: tuple[Page, ...], terms: dict[str, Term], docs: Iterable[File], staying: tuple[str, ...] = ()
) -> Made:
    rows = in_order((term, row) for term, (sections, row) in terms.items() if sections)
    index = Index(pages, {term: terms[term] for term, _ in rows})
    words = Counter(word for page in pages for word in page.words)
    rest = above(rows, [page.sections for page in pages], [page.doc for page in pages], words)
    return Made(index, (*docs, *rest), staying)


def _moved(terms: Mapping[str, Term], new: Found, start: int, end: int) -> Iterator[tuple[str, Term]]:
    """The terms that a page had or has now; `start` to `end` are the numbers of its sections."""
    none: Sequence[int] = ()
    for term in {*new, *terms}:
        old = memoryview(terms[term][0] if term in terms else b"").cast("Q")
        before, after = bisect_left(old, start << 8), bisect_left(old, end << 8)
        if term in new or before < after:
            sections = array("Q", [*old[:before], *new.get(term, none), *old[after:]])
            yield term, (sections.tobytes(), row(term, sections) if sections else b"")
