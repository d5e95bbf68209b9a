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

import msgspec
from msgspec import Struct

from builder.search.groups import Gone, Groups, Leaves, Load, RowGroup, groups_of, leaves_of, nothing
from builder.search.packing import file_of, in_files
from builder.search.part import Part
from builder.search.postings import SLOT, WIDE, numbered, slots
from builder.search.shards import (
    IDLE,
    Arranged,
    Begun,
    File,
    doc,
    entry,
    hashed,
    named,
    pages_a_file,
    pages_of,
    twins_of,
    words_file,
)

MOST_CHANGED = 20
"""Pages; for more the whole index is quicker made anew."""


class IndexedPage(Struct, frozen=True, array_like=True):
    """A page's record: a digest of all that it was made of, how many sections it has, the words of its
    headings, parted by spaces, and the digests of the leaf with its terms and of the file with its sections.

    `twin` is its address where its excerpts are cut from its twin: there is no such file then.
    """

    path: str
    key: bytes
    sections: int
    words: str
    terms: bytes
    doc: str
    twin: str = ""


class Index(Struct, frozen=True, array_like=True):
    """All pages in order; all terms, and the digests of their files; how often headings have each word, and
    the digest of the words' file; the name of the script that cuts excerpts from twins, empty without one."""

    pages: tuple[IndexedPage, ...]
    groups: dict[str, RowGroup]
    files: tuple[str, ...]
    used: dict[str, int]
    words: str
    script: str = ""


Place = tuple[str, str, int, int]
"""Of a piece in a file: what its terms begin with, its group, its number there, and its bytes."""

Terms = tuple[tuple[str, bytes], ...]
"""The terms of a page's sections, and their weights, as its part has them."""

_TERMS = msgspec.msgpack.Decoder(Terms)


class IndexUpdate(Struct, frozen=True):
    """An index with its files; those that stay as they were are given by their names alone.

    `leaves` are those that are new, by name.
    """

    index: Index
    files: tuple[File, ...]
    leaves: dict[str, bytes]
    staying: tuple[str, ...] = ()


class UnplacedIndex(Struct, frozen=True):
    """An index without how terms lie in files: its pages, the digests of the groups' leaves, how
    often headings have each word; and the leaves by name."""

    pages: tuple[IndexedPage, ...]
    groups: dict[str, bytes]
    used: dict[str, int]
    leaves: dict[str, bytes]


def unplaced_index(
    parts: Mapping[str, Part], keys: Mapping[str, bytes], begun: Begun
) -> UnplacedIndex | None:
    """Return what can be known of the index of these pages by path, with their keys, while files are made.

    None for more pages than are worth it.
    """
    if pages_a_file(len(parts)) > 1:
        return None
    leaves = Leaves(nothing)
    each = zip(parts.items(), begun.docs, strict=True)
    pages = tuple(
        _page(leaves, path, keys[path], part, (digest, twin))
        for ((path, part), digest), twin in zip(each, begun.twins or [""] * len(parts), strict=True)
    )
    gathering = begun.gathering
    return UnplacedIndex(pages, leaves_of(gathering.found, leaves), dict(gathering.used), leaves.new)


def place_index(index: UnplacedIndex, arranged: Arranged, script: str = "") -> Index:
    """The index with how terms lie in its files, when these are made."""
    groups = groups_of(arranged.pieces, index.groups)
    return Index(index.pages, groups, arranged.terms, index.used, arranged.words, script)


def changed(
    index: Index, parts: Mapping[str, Part], keys: Mapping[str, bytes], load: Load, script: str = ""
) -> IndexUpdate | None:
    """The index of the pages with these keys, in this order; `parts` has at least those that have changed.

    None when it cannot be had so: then it is to be made of all pages. `script` cuts excerpts from twins.
    """
    try:
        return _changed(index, parts, keys, Leaves(load), script)
    except Gone:
        return None


def _changed(
    index: Index, parts: Mapping[str, Part], keys: Mapping[str, bytes], leaves: Leaves, script: str
) -> IndexUpdate | None:
    if [page.path for page in index.pages] != list(keys) or index.script != script:
        return None
    places = [number for number, page in enumerate(index.pages) if page.key != keys[page.path]]
    if len(places) > MOST_CHANGED or any(not _fits(index.pages[at], parts) for at in places):
        return None
    bases = [0, *accumulate(SLOT * slots(page.sections) for page in index.pages)]
    pages, docs, groups, used = list(index.pages), [], Groups(index.groups, leaves), Counter(index.used)
    for at in places:
        before, part = pages[at], parts[pages[at].path]
        digest, file = doc(at, [part])
        twin = "".join(twins_of([part], script))
        docs += [] if twin else [file]
        terms = _TERMS.decode(leaves.get(_leaf(before.path), before.terms))
        pages[at] = _page(leaves, before.path, keys[before.path], part, (digest, twin))
        _move(groups, terms, part, bases[at], bases[at + 1])
        used.subtract(before.words.split())
        used.update(part.headings)
    return _whole(index, pages, groups, +used, docs)


def _fits(page: IndexedPage, parts: Mapping[str, Part]) -> bool:
    """Return whether there is a new part, and it takes as many slots."""
    part = parts.get(page.path)
    return part is not None and slots(len(part.sections)) == slots(page.sections)


def _page(leaves: Leaves, path: str, key: bytes, part: Part, doc: tuple[str, str]) -> IndexedPage:
    """The record of a page; `doc` is the digest of the file with its sections, and where its twin is read."""
    terms = leaves.put(_leaf(path), msgspec.msgpack.encode(part.terms))
    return IndexedPage(path, key, len(part.sections), " ".join(part.headings), terms, *doc)


def _leaf(path: str) -> str:
    return f"page {path}"


def _move(groups: Groups, before: Terms, part: Part, start: int, end: int) -> None:
    """Put the terms of a page in the place of those that it had; `start` to `end` number its sections."""
    old, new, none = numbered(before, start), numbered(part.terms, start), array(WIDE)
    for term in {*old, *new}:
        its = new.get(term, none)
        if its != old.get(term, none):
            every = groups.sections(term)
            first, last = bisect_left(every, start << 8), bisect_left(every, end << 8)
            groups.put(term, array(WIDE, [*every[:first], *its, *every[last:]]))


def _whole(
    before: Index,
    pages: Sequence[IndexedPage],
    groups: Groups,
    used: Mapping[str, int],
    docs: Sequence[File],
) -> IndexUpdate:
    kept = groups.kept()
    files, arranged = list(docs), _arranged(kept)
    digests = list(_of_terms(before, arranged, groups, files))
    words = before.words
    if used != before.used:
        words, file = words_file(used)
        files.append(file)
    twins = [page.twin for page in pages] if any(page.twin for page in pages) else []
    of_pages = pages_of([page.doc for page in pages], twins, before.script)
    keys = [places[0][0] for places in arranged if places[0][1] != IDLE]
    files.append(entry([page.sections for page in pages], of_pages, keys, digests, words))
    of_docs = (named(f"d{number}", page.doc) for number, page in enumerate(pages) if not page.twin)
    every = [*of_docs, *_names("t", digests), named("w", words)]
    new = {name for name, _ in files}
    staying = tuple(name for name in every if name not in new)
    index = Index(tuple(pages), kept, tuple(digests), dict(used), words, before.script)
    return IndexUpdate(index, tuple(files), groups.leaves.new, staying)


def _of_terms(
    before: Index, arranged: Sequence[Sequence[Place]], groups: Groups, files: list[File]
) -> Iterator[str]:
    """The digest of each file of terms; `files` takes those that are not as they were."""
    old = dict(enumerate(zip(_arranged(before.groups), before.files, strict=True)))
    for number, places in enumerate(arranged):
        known, digest = old.get(number, ([], ""))
        if known != places or any(key in groups.changed for _, key, _, _ in places):
            digest, file = hashed(
                f"t{number}", file_of(groups.pieces(key)[at][1] for _, key, at, _ in places)
            )
            files.append(file)
        yield digest


def _arranged(groups: Mapping[str, RowGroup]) -> list[Sequence[Place]]:
    """The pieces of each file."""
    places = [
        (start, key, at, size)
        for key, group in groups.items()
        for at, (start, size) in enumerate(group.pieces)
    ]
    idle, rest = (
        [place for place in places if place[1] == IDLE],
        [place for place in places if place[1] != IDLE],
    )
    return list(in_files(rest, idle, lambda place: place[3]))


def _names(letter: str, digests: Iterable[str]) -> Iterator[str]:
    return (named(f"{letter}{number}", digest) for number, digest in enumerate(digests))
