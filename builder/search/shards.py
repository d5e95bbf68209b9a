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
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from builder.search.packing import file_of, in_order, joined, packed, pieces
from builder.search.part import Part
from builder.search.postings import Found, gathered, row, slots
from builder.search.terms import STOP

ENTRY = "search.json"
"""The only name that does not tell the content: pages are rendered before it is known."""
PAGES_BEFORE_GROUPS = 3000
MOST_WORDS = 10_000

File = tuple[str, bytes]


class Begun(Struct, frozen=True):
    """What is done of an index already: the sections of all terms, and the digests of the pages' files,
    which are written."""

    found: Found
    docs: tuple[str, ...]


def shards(parts: Sequence[Part], begun: Begun | None = None) -> Iterator[File]:
    """The files of the index, with their names, but for those that are written; the entry comes last."""
    if begun is None:
        docs = list(_docs(parts))
        yield from (file for _, file in docs)
        begun = Begun(gathered(parts), tuple(digest for digest, _ in docs))
    keys, files = _files(in_order((term, row(term, found)) for term, found in begun.found.items()))
    terms = [hashed(f"t{number}", data) for number, data in enumerate(files)]
    yield from (file for _, file in terms)
    used, words = words_file(Counter(word for part in parts for word in part.headings))
    yield words
    counts = [len(part.sections) for part in parts]
    yield entry(counts, begun.docs, keys, [digest for digest, _ in terms], used)


def _docs(parts: Sequence[Part]) -> Iterator[tuple[str, File]]:
    per = pages_a_file(len(parts))
    for number, start in enumerate(range(0, len(parts), per)):
        yield doc(number, parts[start : start + per])


def pages_a_file(pages: int) -> int:
    """How many pages share a file of sections."""
    return 1 + pages // PAGES_BEFORE_GROUPS


def doc(number: int, parts: Sequence[Part]) -> tuple[str, File]:
    """The file of the sections of a few pages, and its digest."""
    pages = [[part.url, part.title, part.sections] for part in parts]
    return hashed(f"d{number}", msgspec.json.encode(pages))


def words_file(used: Mapping[str, int]) -> tuple[str, File]:
    """The file of the words that titles, headings and descriptions have, and its digest.

    `used` tells how often; the most used are taken when there are too many.
    """
    most: Iterable[str] = used
    if len(used) > MOST_WORDS:
        most = sorted(used, key=lambda word: (-used[word], word))[:MOST_WORDS]
    return hashed("w", msgspec.json.encode(" ".join(sorted(most))))


def entry(
    counts: Sequence[int], docs: Sequence[str], keys: Sequence[str], terms: Sequence[str], words: str
) -> File:
    """The file that knows all others by their digests.

    `counts` are the sections of each page; `keys` what the first term of each file of terms begins with.
    """
    found = {
        "n": sum(counts),
        "slots": [slots(count) for count in counts],
        "per": pages_a_file(len(counts)),
        "docs": docs,
        "keys": keys,
        "terms": terms,
        "words": words,
        "stop": sorted(STOP),
    }
    return ENTRY, msgspec.json.encode(found)


def _files(rows: Sequence[tuple[str, bytes]]) -> tuple[list[str], list[bytes]]:
    """The keys and the files of terms; terms that say nothing are in one more file, without a key."""
    found = list(pieces(row for row in rows if row[0] not in STOP))
    places = list(packed([len(data) for _, data in found]))
    files = [file_of(found[at][1] for at in each) for each in places]
    idle = [row for row in rows if row[0] in STOP]
    keys = [found[each.start][0] for each in places]
    return keys, [*files, file_of([joined(idle)])] if idle else files


def hashed(name: str, data: bytes) -> tuple[str, File]:
    """A file that is named by its content, and the digest in its name."""
    digest = hashlib.blake2b(data, digest_size=4).hexdigest()
    return digest, (named(name, digest), data)


def named(name: str, digest: str) -> str:
    """The name of such a file."""
    return f"search/{name}.{digest}.json"
