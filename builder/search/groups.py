"""All terms of an index by what they begin with, so that those that change are had without the others.

The terms of a group are a leaf, a value that is kept beside the index, as those of each page are. An edit
changes some of a thousand leaves, so only these are read and kept again. The index has a digest of each, so
that none that another build has put there is taken for it.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import msgspec
from msgspec import Struct

from builder.search.packing import KEY, Piece, in_order, joined, order, pieces
from builder.search.postings import WIDE, Found, row
from builder.search.shards import IDLE
from builder.search.terms import STOP

Load = Callable[[str], bytes | None]
"""Gives what is kept under a name, if there is anything."""


class Gone(Exception):
    """A leaf is not there as the index knows it."""


def nothing(_: str) -> None:
    """Of an index that is made anew nothing is kept."""


class Leaves:
    """Leaves that are read one by one; `new` are those to be kept, by name."""

    def __init__(self, load: Load) -> None:
        self.new: dict[str, bytes] = {}
        self._load = load

    def get(self, name: str, digest: bytes) -> bytes:
        """The leaf of this name and digest. Raises Gone."""
        data = self._load(name)
        if data is None or _digest(data) != digest:
            raise Gone
        return data

    def put(self, name: str, data: bytes) -> bytes:
        """Keep a leaf; gives its digest."""
        self.new[name] = data
        return _digest(data)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=8).digest()


Terms = dict[str, bytes]
"""Terms, and the bytes of their sections."""

_TERMS = msgspec.msgpack.Decoder(Terms)


class RowGroup(Struct, frozen=True, array_like=True):
    """The pieces of its rows in files, each with what its terms begin with and its bytes; and the digest of
    the leaf that has the terms."""

    pieces: tuple[tuple[str, int], ...]
    terms: bytes


class Groups:
    """Groups that are opened one by one; `changed` are the keys of those that are no longer as they were.

    What opens a group raises Gone when its leaf is not there.
    """

    def __init__(self, kept: Mapping[str, RowGroup], leaves: Leaves) -> None:
        self.changed: set[str] = set()
        self.leaves = leaves
        self._kept = dict(kept)
        self._open: dict[str, Terms] = {}
        self._pieces: dict[str, list[Piece]] = {}

    def sections(self, term: str) -> memoryview:
        """The sections that have a term, as numbers."""
        return _numbers(self._terms(_key(term)).get(term, b""))

    def put(self, term: str, sections: array[int]) -> None:
        """Say what sections have a term."""
        key = _key(term)
        self.changed.add(key)
        if sections:
            self._terms(key)[term] = sections.tobytes()
        else:
            self._terms(key).pop(term, None)

    def pieces(self, key: str) -> list[Piece]:
        """The rows of a group, as they stand in files."""
        if key not in self._pieces:
            rows = in_order((term, row(term, _numbers(found))) for term, found in self._terms(key).items())
            self._pieces[key] = [(IDLE, joined(rows))] if key == IDLE else list(pieces(rows))
        return self._pieces[key]

    def kept(self) -> dict[str, RowGroup]:
        """All groups in order, as they are kept; nothing changes after that."""
        new = self.changed - self._kept.keys()
        for key in self.changed:
            if self._terms(key):
                sizes = tuple((start, len(data)) for start, data in self.pieces(key))
                self._kept[key] = RowGroup(sizes, _put(self.leaves, key, self._terms(key)))
            else:
                self._kept.pop(key, None)
        return dict(sorted(self._kept.items(), key=lambda item: order(item[0]))) if new else self._kept

    def _terms(self, key: str) -> Terms:
        if key not in self._open:
            group = self._kept.get(key)
            self._open[key] = _TERMS.decode(self.leaves.get(_leaf(key), group.terms)) if group else {}
        return self._open[key]


def leaves_of(found: Found, leaves: Leaves) -> dict[str, bytes]:
    """Keep all terms in their groups; gives the digests of the groups' leaves."""
    groups: dict[str, Terms] = defaultdict(dict)
    for term, sections in found.items():
        groups[_key(term)][term] = array(WIDE, sections).tobytes()
    return {key: _put(leaves, key, terms) for key, terms in groups.items()}


def groups_of(lie: Sequence[tuple[str, int]], leaves: Mapping[str, bytes]) -> dict[str, RowGroup]:
    """The groups in order, when it is known how their terms lie in files, and in which leaves they are."""
    found = groupby(lie, key=lambda piece: piece[0][:KEY])
    return {key: RowGroup(tuple(its), leaves[key]) for key, its in found}


def _put(leaves: Leaves, key: str, terms: Terms) -> bytes:
    return leaves.put(_leaf(key), msgspec.msgpack.encode(terms))


def _numbers(sections: bytes) -> memoryview:
    return memoryview(sections).cast(WIDE)


def _leaf(key: str) -> str:
    return f"terms {key}"


def _key(term: str) -> str:
    return IDLE if term in STOP else term[:KEY]
