"""Rows of terms, packed into files: neighbours share one, as far as there is room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

import msgspec

T = TypeVar("T")

FULL = 6_000
"""Bytes of terms after which another file begins."""
KEY = 3
"""Characters that the terms of one file have in common with no other file, unless they would be too many."""

Row = tuple[str, bytes]
"""A term, and the JSON of its sections."""
Piece = tuple[str, bytes]
"""What terms begin with that no others do, and their rows: files are made of whole pieces."""


def order(term: str) -> bytes:
    """Return the key that sorts terms: scripts compare the units of UTF-16."""
    return term.encode("utf-16-be")


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Rows by their terms."""
    return sorted(rows, key=lambda row: order(row[0]))


def pieces(rows: Iterable[Row], length: int = KEY) -> Iterator[Piece]:
    """Rows by so many characters that their terms begin with, and by more where they would fill a file."""
    for start, found in groupby(rows, key=lambda row: row[0][:length]):
        group = list(found)
        data = joined(group)
        if len(start) == length and len(group) > 1 and len(data) > FULL:
            yield from pieces(group, length + 1)
        else:
            yield start, data


def joined(rows: Iterable[Row]) -> bytes:
    """Rows as they stand in a file."""
    return b",".join([b"%s:%s" % (msgspec.json.encode(term), row) for term, row in rows])


def in_files(pieces: Iterable[T], idle: Sequence[T], size: Callable[[T], int]) -> Iterator[Sequence[T]]:
    """The pieces of each file, of which `size` tells the bytes; those of terms that say nothing are in one
    more.
    """
    file: list[T] = []
    total = 0
    for piece in pieces:
        more = size(piece)
        if file and total + more > FULL:
            yield file
            file, total = [], 0
        file.append(piece)
        total += more
    yield from filter(None, (file, idle))


def file_of(data: Iterable[bytes]) -> bytes:
    """A file with these pieces."""
    return b"{%s}" % b",".join(data)
