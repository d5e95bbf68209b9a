"""The protocol of a sink, and the two sinks that write no file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from builder.output.writer import Nowhere, PageWriter
from builder.output.written_files import Left, WrittenFiles


class Output(Protocol):
    """A sink for results. Paths are relative with forward slashes, from the registry.

    `ledger` says what an earlier build wrote. `keeps` is False when all is forgotten that is given.
    `is_another` says that it is not the folder any more that was held before it began.
    """

    ledger: WrittenFiles
    keeps: bool
    is_another: bool

    @property
    def folder(self) -> Path | None:
        """The folder that files go into, None when they go into none."""

    @property
    def writer(self) -> PageWriter | None:
        """The writer for pages where they are rendered; None when they must be given to `write`."""

    def hold(self, site: Path) -> bool:
        """Let no other build write there, if none does now; it is to begin soon. Raises OutputError."""

    def changed(self, written: WrittenFiles) -> list[str]:
        """List the files that are not as an earlier build has `written` them, as far as their states tell."""

    def saw(self, changed: frozenset[str]) -> None:
        """Take note that all files but these are as the earlier build has left them."""

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        """Get ready for the results of the site in this folder, at the places `planned` and others.

        Raises OutputError, with nothing written, when a place cannot be taken.
        """

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Take one file; `key` is a digest of all that it was made of."""

    def note_written(self, path: str, key: bytes, left: Left | None) -> None:
        """Take note of a file that the writer took, and of how it is left."""

    def copy(self, path: str, file: str, source: BinaryIO, key: bytes = b"") -> None:
        """Take one file of the site as it is; `file` names it there, `source` is it, opened."""

    def has_all(self, paths: Sequence[str], key: bytes) -> bool:
        """Return whether the files taken with this key are there already, and need not be given again."""

    def stays(self, path: str, key: bytes) -> bool:
        """Return whether the file of an earlier build is there still; then it stays, and this is its key."""

    def under(self, key: bytes) -> list[str]:
        """The paths of all that an earlier build gave with this key."""

    def is_as_left(self, site: Path, written: WrittenFiles) -> bool:
        """Return whether all is there, and nothing else of it, that an earlier build has `written`.

        False while another one writes, and where it is not known. Raises OutputError.
        """

    def read(self, path: str, key: bytes) -> bytes:
        """Return what this build has left at a path with this key; empty where that is not known."""

    def finish(self) -> None:
        """All is written: remove what only an earlier build wrote."""

    def close(self) -> None:
        """Let go of what is open, whether the build was finished or not."""


class NullOutput:
    """Takes everything and keeps nothing: for a check. Sinks that know no former build begin with it."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.ledger = WrittenFiles()
        self.keeps = self.is_another = False
        self.writer: PageWriter | None = Nowhere()

    def hold(self, site: Path) -> bool:
        """Nothing is kept."""
        return False

    def changed(self, written: WrittenFiles) -> list[str]:
        """Nothing is kept."""
        return [*written.old]

    def saw(self, changed: frozenset[str]) -> None:
        """Nothing is kept."""

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        """Nothing to get ready."""

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Forget it."""

    def note_written(self, path: str, key: bytes, left: Left | None) -> None:
        """Forget it."""

    def copy(self, path: str, file: str, source: BinaryIO, key: bytes = b"") -> None:
        """Forget it."""

    def has_all(self, paths: Sequence[str], key: bytes) -> bool:
        """Nothing is kept."""
        return False

    def stays(self, path: str, key: bytes) -> bool:
        """Nothing is kept."""
        return False

    def under(self, key: bytes) -> list[str]:
        """Nothing is kept."""
        return []

    def is_as_left(self, site: Path, written: WrittenFiles) -> bool:
        """Nothing is kept."""
        return False

    def read(self, path: str, key: bytes) -> bytes:
        """Nothing is kept."""
        return b""

    def finish(self) -> None:
        """Nothing to tidy."""

    def close(self) -> None:
        """Nothing is open."""


class MemoryOutput(NullOutput):
    """Keeps written bytes in memory and, for copied files, only where they lie."""

    def __init__(self) -> None:
        super().__init__()
        self.keeps = True
        self.writer = None
        self.written: dict[str, bytes] = {}
        self.copied: dict[str, str] = {}

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Keep the bytes."""
        self.written[path] = data

    def copy(self, path: str, file: str, source: BinaryIO, key: bytes = b"") -> None:
        """Remember which file of the site answers here."""
        self.copied[path] = file

    def read(self, path: str, key: bytes) -> bytes:
        """Return the bytes written at a path."""
        return self.written.get(path, b"")

    def get(self, path: str) -> bytes | None:
        """The bytes written at this output path, or None."""
        return self.written.get(path)

    @property
    def paths(self) -> frozenset[str]:
        """All output paths, written and copied."""
        return frozenset(self.written) | frozenset(self.copied)
