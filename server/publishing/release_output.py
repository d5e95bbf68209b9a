"""The sink of a build whose files become objects of a release, named by the digest of their bytes.

A file is packed and written where it is made, also in the builder's own processes for pages. The build's
record keeps the digest beside each file's key: of an unchanged page nothing is read, hashed or written again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import BinaryIO

from builder.output import Left, PageWriter
from builder.output.written_files import WrittenFiles
from builder.store import FileState
from server.releases.packed_object import head, is_text, pack
from server.releases.release import ReleasedFile
from server.releases.split_object import gathers

_PIECE = 1024 * 1024
_WHOLE = 16 * 1024 * 1024
"""Bytes up to which a file of the site is read as a whole, to be packed."""


class ObjectWriter:
    """Packs files into objects in `folder`, under the digests of their bytes as names.

    What is among the objects `known` was packed by an earlier build.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.known: frozenset[bytes] = frozenset()

    def write(self, path: str, data: bytes) -> Left:
        """Pack one file. Raises OSError."""
        digest = hashlib.sha256(data).digest()
        place = self._folder / digest.hex()
        if digest not in self.known and not place.exists():
            with _appearing(place) as file:
                compress = is_text(path) and not gathers(path, len(data))  # whoever splits it does
                file.write(pack(data, compress=compress))
        return _left(digest, len(data))

    def write_twice(self, first: str, second: str, data: bytes) -> tuple[Left, Left]:
        """Pack a file that two places have."""
        left = self.write(first, data)
        return left, left

    def copy(self, path: str, source: BinaryIO) -> Left:
        """Pack a file of the site; a large one never lies in memory. Raises OSError."""
        if os.fstat(source.fileno()).st_size <= _WHOLE:
            return self.write(path, source.read())
        place = self._folder / secrets.token_hex(16)
        digest, size = hashlib.sha256(), 0
        with _appearing(place) as file:
            file.write(head(0))
            while piece := source.read(_PIECE):
                digest.update(piece)
                file.write(piece)
                size += len(piece)
            file.seek(0)
            file.write(head(size))
        place.rename(self._folder / digest.hexdigest())
        return _left(digest.digest(), size)


class ReleaseOutput:
    """Takes the files of a build as objects in `folder`, which is made when it is not there.

    `files` are those of the release when the build has finished. `ledger` says what the build before wrote;
    it is trusted, as nobody else writes it: whoever takes the objects over looks whether all are there. With
    `fresh` all files are made anew, whatever it says.
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self.folder: Path | None = folder
        self.keeps, self.is_another = True, False
        self._fresh = fresh
        self._ledger = WrittenFiles()
        self.files: dict[str, ReleasedFile] = {}
        self._writer = ObjectWriter(folder)

    @property
    def ledger(self) -> WrittenFiles:
        """The record of what this build writes, and the build before wrote."""
        return self._ledger

    @ledger.setter
    def ledger(self, ledger: WrittenFiles) -> None:
        self._ledger = ledger
        if not self._fresh:
            self._writer.known = frozenset(ledger.contents())

    @property
    def writer(self) -> PageWriter:
        """The writer for pages where they are rendered."""
        return self._writer

    def hold(self, site: Path) -> bool:
        """A release is put together by each build, which need not look at the one before."""
        return False

    def changed(self, written: WrittenFiles) -> list[str]:
        """Files of a release never change."""
        return []

    def saw(self, changed: frozenset[str]) -> None:
        """Files of a release never change."""

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        """Make the folder."""
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Take one file."""
        self.note_written(path, key, self._writer.write(path, data))

    def note_written(self, path: str, key: bytes, left: Left | None) -> None:
        """Take note of a file that is packed."""
        assert left is not None  # noqa: S101 - our writer always says so
        self.files[path] = ReleasedFile(left.content, left.state.size)
        self.ledger.note_written(path, key, left)

    def copy(self, path: str, file: str, source: BinaryIO, key: bytes = b"") -> None:
        """Take one file of the site as it is."""
        self.note_written(path, key, self._writer.copy(path, source))

    def has_all(self, paths: Sequence[str], key: bytes) -> bool:
        """Return whether the build before made the files under this key; then they are part of this one."""
        return all(self.ledger.is_under(path, key) and self.stays(path, key) for path in paths)

    def stays(self, path: str, key: bytes) -> bool:
        """Return whether the build before made the file; then it is part of this release."""
        entry = self.ledger.before(path)
        if entry is None or self._fresh:
            return False
        self.note_written(path, key, entry.left)
        return True

    def under(self, key: bytes) -> list[str]:
        """The paths of all that the build before made under this key."""
        return self.ledger.under(key)

    def is_as_left(self, site: Path, written: WrittenFiles) -> bool:
        """A release is put together by each build, of whatever there is."""
        return False

    def read(self, path: str, key: bytes) -> bytes:
        """Nothing is given back: a release has files by their content."""
        return b""

    def finish(self) -> None:
        """Nothing to tidy: a release has no files of former ones."""

    def close(self) -> None:
        """Nothing is open."""


def _left(digest: bytes, size: int) -> Left:
    return Left(FileState(0, size, 0, 0), digest)


class _appearing:
    """A file that appears under its name when all of it is written: a killed build cuts none."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._beside = place.with_name(f".{secrets.token_hex(8)}")

    def __enter__(self) -> BinaryIO:
        """Open it."""
        self._file = self._beside.open("xb")
        return self._file

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Give it its name, or delete it."""
        self._file.close()
        if error is None:
            self._beside.rename(self._place)
        else:
            self._beside.unlink(missing_ok=True)
