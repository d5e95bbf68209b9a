"""The files of an index's terms: taken to pieces, changed row by row, and put together again.

Only files with rows that change are read, and those whose pieces move to another file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import msgspec
from msgspec import Raw

from builder.search.packing import KEY, Piece, file_of, in_files, in_order, joined, order, pieces
from builder.search.shards import IDLE, Arranged, File, hashed, named
from builder.search.terms import STOP

Load = Callable[[str], bytes | None]
"""Gives the file of an index by its name, if it is there."""
Place = tuple[str, int]
"""What the terms of a piece begin with, and its bytes."""

_ROWS = msgspec.json.Decoder(dict[str, Raw])


class Gone(Exception):
    """A file is not there as the index knows it."""


def _offsets(file: Sequence[Place]) -> Sequence[int]:
    """Return where the pieces of a file begin, each behind the sign between it and the one before."""
    return list(accumulate((1 + size for _, size in file[:-1]), initial=1))[: len(file)]


class TermFiles:
    """The files of the index that is so `arranged`. Whatever reads one raises Gone when it is not there."""

    def __init__(self, arranged: Arranged, load: Load) -> None:
        self._load = load
        self._before = list(_in_files(arranged.pieces))
        self._digests = arranged.terms
        self._words = arranged.words
        self._where = {
            start: (number, at, size)
            for number, file in enumerate(self._before)
            for (start, size), at in zip(file, _offsets(file), strict=True)
        }
        self._groups: dict[str, list[Place]] = {}
        for start, size in arranged.pieces:
            self._groups.setdefault(start[:KEY], []).append((start, size))
        self._data: dict[int, bytes] = {}
        self._rows: dict[str, dict[str, bytes]] = {}
        self._new: dict[str, bytes] = {}

    def row(self, term: str) -> bytes | None:
        """The row of a term, if it has one."""
        return self._group(_key(term)).get(term)

    def put(self, term: str, row: bytes) -> None:
        """Give a term another row; an empty one takes it out."""
        rows = self._group(_key(term))
        if row:
            rows[term] = row
        else:
            rows.pop(term, None)

    def finish(self) -> tuple[Arranged, list[File]]:
        """Return how all terms lie in files now, and those files that are new."""
        for key, rows in self._rows.items():
            made = _pieces(key, rows)
            self._new.update(made)
            self._groups[key] = [(start, len(data)) for start, data in made]
        groups = sorted(self._groups.items(), key=lambda item: (item[0] == IDLE, order(item[0])))
        lie = tuple(piece for _, group in groups for piece in group)
        digests, files = [], list[File]()
        for number, file in enumerate(_in_files(lie)):
            digest = self._same(number, file)
            if not digest:
                digest, new = hashed(f"t{number}", file_of(map(self._piece, (start for start, _ in file))))
                files.append(new)
            digests.append(digest)
        return Arranged(lie, tuple(digests), self._words), files

    def _same(self, number: int, file: Sequence[Place]) -> str:
        """The digest of the file of this number, if it has these very pieces already; else empty."""
        if number >= len(self._before) or list(file) != list(self._before[number]):
            return ""
        return "" if any(start[:KEY] in self._rows for start, _ in file) else self._digests[number]

    def _group(self, key: str) -> dict[str, bytes]:
        """The rows of all terms that begin so."""
        if key not in self._rows:
            old = [self._old(start) for start, _ in self._groups.get(key, ())]
            self._rows[key] = {term: bytes(row) for term, row in _ROWS.decode(file_of(old)).items()}
        return self._rows[key]

    def _piece(self, start: str) -> bytes:
        return self._new[start] if start[:KEY] in self._rows else self._old(start)

    def _old(self, start: str) -> bytes:
        number, at, size = self._where[start]
        if number not in self._data:
            data = self._load(named(f"t{number}", self._digests[number]))
            if data is None or hashed("", data)[0] != self._digests[number]:
                raise Gone
            self._data[number] = data
        return self._data[number][at : at + size]


def _pieces(key: str, rows: dict[str, bytes]) -> list[Piece]:
    ordered = in_order(rows.items())
    if key == IDLE:
        return [(IDLE, joined(ordered))] if ordered else []
    return list(pieces(ordered))


def _in_files(lie: Sequence[Place]) -> Iterator[Sequence[Place]]:
    """The pieces of each file."""
    rest = [piece for piece in lie if piece[0] != IDLE]
    return in_files(rest, [piece for piece in lie if piece[0] == IDLE], lambda piece: piece[1])


def _key(term: str) -> str:
    return IDLE if term in STOP else term[:KEY]
