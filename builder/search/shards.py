"""The parts of all pages put together: files of terms, files of sections, and the one that knows them all.

`builder/search/postings.py` tells how sections are numbered.

    search.json               {"n": sections, "slots": "121...", "per": pages a file, "docs": [hash, ...],
                               "keys": [first term of each file, ...], "terms": [hash, ...], "words": hash,
                               "stop": [terms that say nothing, ...]}; these terms are in a file of their own,
                               the last and without a key, so that a query with many of them asks for one
    search/t0.<hash>.json     {term: [sections that have it, number, weight, steps to the next, weight, ...]};
                              a title is a term, too: `terms.whole` tells how it is written
    search/d0.<hash>.json     [[url, title, [[anchor, heading, text], ...]], ...]
    search/w.<hash>.json      the words of titles, headings and descriptions, against typing errors
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from builder.search.part import Part
from builder.search.postings import gathered, row, slots
from builder.search.terms import STOP

ENTRY = "search.json"
"""The only name that does not tell the content: pages are rendered before it is known."""
FULL = 10_000
"""Bytes of terms after which another file begins."""
KEY = 3
"""Characters that the terms of one file have in common with no other file, unless they would be too many."""
PAGES_BEFORE_GROUPS = 3000
MOST_WORDS = 10_000

File = tuple[str, bytes]


def shards(parts: Sequence[Part]) -> Iterator[File]:
    """The files of the index, with their names; the entry comes last."""
    per = pages_a_file(len(parts))
    groups = (parts[at : at + per] for at in range(0, len(parts), per))
    docs = [doc(number, group) for number, group in enumerate(groups)]
    yield from (file for _, file in docs)
    rows = in_order((term, row(term, sections)) for term, sections in gathered(parts).items())
    words = Counter(word for part in parts for word in part.headings)
    yield from above(rows, [len(part.sections) for part in parts], [digest for digest, _ in docs], words)


def pages_a_file(pages: int) -> int:
    """How many pages share a file of sections."""
    return 1 + pages // PAGES_BEFORE_GROUPS


def doc(number: int, parts: Sequence[Part]) -> tuple[str, File]:
    """The file of the sections of a few pages, and the digest in its name."""
    pages = [[part.url, part.title, part.sections] for part in parts]
    return _hashed(f"d{number}", msgspec.json.encode(pages))


def doc_name(number: int, digest: str) -> str:
    """The name of such a file."""
    return _name(f"d{number}", digest)


def above(
    rows: Iterable[tuple[str, bytes]], counts: Sequence[int], docs: Sequence[str], words: Counter[str]
) -> Iterator[File]:
    """All other files: of terms with their rows, in order; of words; and the entry, which comes last.

    `counts` are the sections of each page, `docs` the digests of the files of sections.
    """
    keys, files = _files(rows)
    terms = [_hashed(f"t{number}", data) for number, data in enumerate(files)]
    used = _hashed("w", _words(words))
    yield from (file for _, file in terms)
    yield used[1]
    entry = {
        "n": sum(counts),
        "slots": [slots(count) for count in counts],
        "per": pages_a_file(len(counts)),
        "docs": docs,
        "keys": keys,
        "terms": [digest for digest, _ in terms],
        "words": used[0],
        "stop": sorted(STOP),
    }
    yield ENTRY, msgspec.json.encode(entry)


def in_order(rows: Iterable[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Rows by their terms; scripts compare the units of UTF-16."""
    return sorted(rows, key=lambda row: row[0].encode("utf-16-be"))


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


def _words(used: Counter[str]) -> bytes:
    """The words that titles, headings and descriptions have, the most used when there are too many."""
    most = sorted(used, key=lambda word: (-used[word], word))[:MOST_WORDS]
    return msgspec.json.encode(" ".join(sorted(most)))


def _hashed(name: str, data: bytes) -> tuple[str, File]:
    digest = hashlib.blake2b(data, digest_size=4).hexdigest()
    return digest, (_name(name, digest), data)


def _name(name: str, digest: str) -> str:
    return f"search/{name}.{digest}.json"
