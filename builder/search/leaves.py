"""Values beside a kept index: its terms by groups, and those of each page.

An edit changes some of a thousand leaves, so only these are read and kept again. The index has a digest of
each, so that none that another build has put there is taken for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

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
