"""An entry of an archive, whatever kind of archive it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

Kind = Literal["file", "folder", "symbolic link", "hard link", "device"]
"""Devices are all that is none of the others: named pipes, too."""
CHUNK = 256 * 1024
"""Bytes that are unpacked at a time, at most."""


class ArchiveEntry(Struct, frozen=True):
    """`name` is as the archive has it, with slashes; `size` is what the archive says, and may be wrong.

    `chunks` gives the bytes of a file, and is good until the next entry is asked for. Raises ArchiveRefused.
    """

    name: str
    kind: Kind
    size: int
    chunks: Callable[[], Iterator[bytes]]


Entries = Callable[[], Iterator[ArchiveEntry]]
"""Goes through an archive from its beginning. Raises ArchiveRefused where it cannot be read."""
