"""The parts of all pages put together: files of terms, files of sections, and the one that knows them all.

A section's number is its place in its page, counted from where the page begins; pages begin at multiples of
SLOT, so that a section more or less changes no other page's numbers.

    search.json               {"n": sections, "slots": "121...", "per": pages a file, "docs": [hash, ...],
                               "keys": [first term of each file, ...], "terms": [hash, ...], "words": hash,
                               "stop": [terms that say nothing, ...]}; these terms are in a file of their own,
                               the last and without a key, so that a query with many of them asks for one
    search/t0.<hash>.json     {term: [sections that have it, number, weight, steps to the next, weight, ...]}
    search/d0.<hash>.json     [[url, title, [[anchor, heading, text], ...]], ...]
    search/w.<hash>.json      the words of titles, headings and descriptions, against typing errors
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import sub

import msgspec

from builder.search.part import Part
from builder.search.terms import STOP

ENTRY = "search.json"
"""The only name that does not tell the content: pages are rendered before it is known."""
SLOT = 8
LONGEST_LIST, LONGEST_IDLE = 400, 100
"""Sections kept of a term, the weightiest: more than anybody looks at, and what keeps large sites quick."""
FULL = 10_000
"""Bytes of terms after which another file begins."""
KEY = 3
"""Characters that the terms of one file have in common with no other file, unless they would be too many."""
PAGES_BEFORE_GROUPS = 3000
MOST_WORDS = 10_000

File = tuple[str, bytes]


def shards(parts: Sequence[Part]) -> Iterator[File]:
    """The files of the index, with their names; the entry comes last."""
    bases, slots = _bases(parts)
    per = 1 + len(parts) // PAGES_BEFORE_GROUPS
    rows = sorted(_rows(parts, bases), key=lambda row: _as_in_browsers(row[0]))
    keys, files = _files(rows)
    terms = [_hashed(f"t{number}", data) for number, data in enumerate(files)]
    pages = [[part.url, part.title, part.sections] for part in parts]
    groups = (pages[at : at + per] for at in range(0, len(pages), per))
    docs = [_hashed(f"d{number}", msgspec.json.encode(group)) for number, group in enumerate(groups)]
    words = _hashed("w", _words(parts))
    yield from (file for _, file in terms)
    yield from (file for _, file in docs)
    yield words[1]
    entry = {
        "n": sum(len(part.sections) for part in parts),
        "slots": slots,
        "per": per,
        "docs": [digest for digest, _ in docs],
        "keys": keys,
        "terms": [digest for digest, _ in terms],
        "words": words[0],
        "stop": sorted(STOP),
    }
    yield ENTRY, msgspec.json.encode(entry)


def _bases(parts: Sequence[Part]) -> tuple[list[int], list[int]]:
    """The number of each page's first section, and how many slots each page takes."""
    slots = [-(-len(part.sections) // SLOT) for part in parts]
    bases, next_base = [], 0
    for count in slots:
        bases.append(next_base)
        next_base += count * SLOT
    return bases, slots


def _rows(parts: Sequence[Part], bases: Sequence[int]) -> Iterator[tuple[str, bytes]]:
    """Each term with its sections as JSON."""
    found: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
    sections_of = found.__getitem__
    for part, base in zip(parts, bases, strict=True):
        for number, (terms, weights) in enumerate(part.terms, base):
            numbered = map((number << 8).__or__, weights)
            # There are some four hundred a page: a loop would take twice as long.
            deque(map(array.append, map(sections_of, terms.split()), numbered), maxlen=0)
    for term, sections in found.items():
        if len(sections) == 1:
            yield term, b"[1,%d,%d]" % divmod(sections[0], 256)
        else:
            yield term, msgspec.json.encode(_row(sections, LONGEST_IDLE if term in STOP else LONGEST_LIST))


def _as_in_browsers(term: str) -> bytes:
    """What terms are sorted by: scripts compare the units of UTF-16."""
    return term.encode("utf-16-be")


def _row(sections: Sequence[int], most: int) -> list[int]:
    """How many sections have a term, then the step to each and the weight there."""
    kept = sections
    if len(sections) > most:
        kept = sorted(sorted(sections, key=(255).__and__, reverse=True)[:most])
    numbers = [section >> 8 for section in kept]
    row = [len(sections)] * (1 + 2 * len(kept))
    row[1::2] = map(sub, numbers, [0, *numbers])
    row[2::2] = map((255).__and__, kept)
    return row


def _files(rows: Iterable[tuple[str, bytes]]) -> tuple[list[str], list[bytes]]:
    """The keys and the files of terms; terms that say nothing are in one more file, without a key."""
    entries = [(term, b"%s:%s" % (msgspec.json.encode(term), row)) for term, row in rows]
    packed = list(_packed([entry for entry in entries if entry[0] not in STOP]))
    idle = [data for term, data in entries if term in STOP]
    files = [data for _, data in packed]
    return [key for key, _ in packed], [*files, _object(idle)] if idle else files


def _packed(entries: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Files of neighbouring terms, each with its key: the first characters of its first term."""
    pending: list[bytes] = []
    key, size = "", 0
    for start, group in _groups(entries, KEY):
        weight = sum(map(len, group))
        if pending and size + weight > FULL:
            yield key, _object(pending)
            pending, size = [], 0
        key = key if pending else start
        pending += group
        size += weight
    if pending:
        yield key, _object(pending)


def _groups(entries: Iterable[tuple[str, bytes]], length: int) -> Iterator[tuple[str, list[bytes]]]:
    """Entries by so many characters that their terms begin with, and by more where they would fill a file."""
    for start, found in groupby(entries, key=lambda entry: entry[0][:length]):
        group = list(found)
        if len(start) == length and len(group) > 1 and sum(len(data) for _, data in group) > FULL:
            yield from _groups(group, length + 1)
        else:
            yield start, [data for _, data in group]


def _object(entries: Sequence[bytes]) -> bytes:
    return b"{%s}" % b",".join(entries)


def _words(parts: Sequence[Part]) -> bytes:
    """The words that titles, headings and descriptions have, the most used when there are too many."""
    used = Counter(word for part in parts for word in part.headings)
    most = sorted(used, key=lambda word: (-used[word], word))[:MOST_WORDS]
    return msgspec.json.encode(" ".join(sorted(most)))


def _hashed(name: str, data: bytes) -> tuple[str, File]:
    digest = hashlib.blake2b(data, digest_size=4).hexdigest()
    return digest, (f"search/{name}.{digest}.json", data)
