"""The parts of all pages put together: files of terms, files of sections, and the one that knows them all.

`builder/search/postings.py` tells how sections are numbered.

    search.json               {"n": sections, "slots": "121...", "per": pages a file, "docs": [hash, ...],
                               "keys": [first term of each file, ...], "terms": all hashes in a row,
                               "words": hash, "stop": [terms that say nothing, ...]};
                               these terms are in a file of their own, the last and without a key, so that
                               a query with many of them asks for one
    search/t0.<hash>.json     {term: [sections that have it, number, weight, steps to the next, weight, ...]};
                              a title is a term, too: `terms.whole` tells how it is written
    search/d0.<hash>.json     [[url, title, [[anchor, heading, text], ...]], ...]
    search/w.<hash>.json      the words of titles, headings and descriptions, against typing errors

A site can have excerpts cut from the twins of its pages, so that a page needs no file of sections. Then the
entry has in the place of "docs":

    "pages": "/docs/ start /docs/guide/ install .1a2b3c4d"
                              the addresses of all pages, without the folder where that is as before; a page
                              whose twin has other sections has a file, and after a full stop the hash of that
    "script": "excerpts.<hash>.js"
                              what cuts twins in the browser, see `builder/search/twin_sections.py`
    "texts": hash             another one when any page says something else
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from builder.search.packing import Piece, file_of, in_files, joined, order, pieces
from builder.search.part import Part
from builder.search.postings import Gathering, gathered, slots
from builder.search.terms import STOP

ENTRY = "search.json"
"""The only name that does not tell the content: pages are rendered before it is known."""
PAGES_BEFORE_GROUPS = 3000
MOST_WORDS = 10_000
DIGEST = 8
"""Characters of a digest in the name of a file."""

IDLE = ""
"""What the terms that say nothing begin with."""

File = tuple[str, bytes]


class Begun(Struct, frozen=True):
    """The done part of an index: what was gathered, and the digests of the files of pages' sections.

    `twins` has for each page its address, or an empty text where its sections are in a file.
    """

    gathering: Gathering
    docs: tuple[str, ...]
    twins: tuple[str, ...] = ()


class Arranged(Struct, frozen=True, array_like=True):
    """The arrangement of terms in files: the pieces in order, each with what its terms begin with and its
    bytes; the digests of the files of terms, and that of the words' file. Terms that say nothing are the
    piece IDLE.
    """

    pieces: tuple[tuple[str, int], ...]
    terms: tuple[str, ...]
    words: str

    @property
    def keys(self) -> list[str]:
        """The beginnings of the first term of each file, but for the last one of terms that say nothing."""
        rest = [piece for piece in self.pieces if piece[0] != IDLE]
        return [file[0][0] for file in in_files(rest, (), lambda piece: piece[1])]

    def with_words(self, words: str) -> Arranged:
        """Return the same with another file of words."""
        return Arranged(self.pieces, self.terms, words)


def shards(parts: Sequence[Part], script: str = "") -> list[File]:
    """The files of the index, with their names; the entry comes last.

    `script` is the name of what cuts excerpts from twins; empty when each page is to have a file.
    """
    docs, begun = begin(parts, script)
    return [*docs, *finish(begun, script)]


def begin(parts: Sequence[Part], script: str = "") -> tuple[list[File], Begun]:
    """The files of the pages' sections, and what is done with them."""
    docs, twins = list(_docs(parts)), twins_of(parts, script)
    files = [file for (_, file), twin in zip(docs, twins or [""] * len(docs), strict=True) if not twin]
    return files, Begun(gathered(parts), tuple(digest for digest, _ in docs), twins)


def twins_of(parts: Sequence[Part], script: str) -> tuple[str, ...]:
    """The address of each page whose excerpts are cut from its twin, and an empty text for each other one.

    Empty where that are none: on sites without such a script, and where pages share files anyway.
    """
    if not script or pages_a_file(len(parts)) > 1:
        return ()
    twins = tuple(part.url if part.is_in_twin else "" for part in parts)
    return twins if any(twins) else ()


def finish(begun: Begun, script: str = "") -> Generator[File, None, Arranged]:
    """Yield the other files one after the other, the entry last; returns how terms lie in them."""
    gathering = begun.gathering
    digests: list[str] = []
    lie: list[tuple[str, int]] = []
    keys: list[str] = []
    for of_file in _files_of_terms(gathering):
        digest, file = hashed(f"t{len(digests)}", file_of(data for _, data in of_file))
        yield file
        digests.append(digest)
        lie += [(start, len(data)) for start, data in of_file]
        if of_file[0][0] != IDLE:
            keys.append(of_file[0][0])
    used, words = words_file(gathering.used)
    yield words
    yield entry(gathering.counts, pages_of(begun.docs, begun.twins, script), keys, digests, used)
    return Arranged(tuple(lie), tuple(digests), used)


def finished(begun: Begun, script: str) -> tuple[list[File], Arranged]:
    """The other files, and how terms lie in them."""
    arranged: list[Arranged] = []

    def noted() -> Iterator[File]:
        arranged.append((yield from finish(begun, script)))

    return list(noted()), arranged[0]


def _files_of_terms(gathering: Gathering) -> Iterator[Sequence[Piece]]:
    """The rows of all terms in order, by files; they are made one file after the other."""
    terms = sorted(gathering.found, key=order)
    rows = ((term, gathering.row(term)) for term in terms if term not in STOP)
    idle = [(term, gathering.row(term)) for term in terms if term in STOP]
    return in_files(pieces(rows), [(IDLE, joined(idle))] if idle else [], lambda piece: len(piece[1]))


def _docs(parts: Sequence[Part]) -> Iterator[tuple[str, File]]:
    per = pages_a_file(len(parts))
    for number, start in enumerate(range(0, len(parts), per)):
        yield doc(number, parts[start : start + per])


def pages_a_file(pages: int) -> int:
    """Return how many pages share a file of sections."""
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


Pages = dict[str, str | Sequence[str]]
"""The part of the entry that tells where the sections of pages are."""


def pages_of(docs: Sequence[str], twins: Sequence[str], script: str) -> Pages:
    """Tell where pages' sections are; `docs` and `twins` are those of `Begun`."""
    if not twins:
        return {"docs": docs}
    names: list[str] = [f".{digest}" for digest in docs]
    last: str | None = None  # no folder was said yet, not even the topmost one
    for at, url in enumerate(twins):
        if url:
            folder, _, name = url.rpartition("/")
            names[at], last = (name if name and folder == last else url), folder
    texts = hashlib.blake2b("".join(docs).encode(), digest_size=DIGEST // 2).hexdigest()
    return {"pages": " ".join(names), "script": script, "texts": texts}


def entry(counts: Sequence[int], pages: Pages, keys: Sequence[str], terms: Sequence[str], words: str) -> File:
    """The file that knows all others by their digests.

    `counts` are the sections of each page; `keys` what the first term of each file of terms begins with.
    """
    found = {
        "n": sum(counts),
        "slots": [slots(count) for count in counts],
        "per": pages_a_file(len(counts)),
        **pages,
        "keys": keys,
        "terms": "".join(terms),
        "words": words,
        "stop": sorted(STOP),
    }
    return ENTRY, msgspec.json.encode(found)


def is_of_terms(name: str) -> bool:
    """Return whether a file of an index has terms, by its name."""
    return name.startswith("search/t")


def hashed(name: str, data: bytes) -> tuple[str, File]:
    """A file that is named by its content, and the digest in its name."""
    digest = hashlib.blake2b(data, digest_size=DIGEST // 2).hexdigest()
    return digest, (named(name, digest), data)


def named(name: str, digest: str) -> str:
    """The name of such a file."""
    return f"search/{name}.{digest}.json"
