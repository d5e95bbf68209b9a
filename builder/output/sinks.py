"""What a sink is, and the two that write no file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO, Protocol


class Output(Protocol):
    """A sink for results. Paths are relative with forward slashes, from the registry."""

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        """Get ready for the results of the site in this folder, at the places `planned` and others.

        Raises OutputError, with nothing written, when a place cannot be taken.
        """

    def write(self, path: str, data: bytes) -> None:
        """Take one file."""

    def copy(self, path: str, file: str, source: BinaryIO) -> None:
        """Take one file of the site as it is; `file` names it there, `source` is it, opened."""

    def finish(self) -> None:
        """All is written: remove what only an earlier build wrote."""


class NullOutput:
    """Takes everything and keeps nothing: for a check."""

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        """Nothing to get ready."""

    def write(self, path: str, data: bytes) -> None:
        """Forget it."""

    def copy(self, path: str, file: str, source: BinaryIO) -> None:
        """Forget it."""

    def finish(self) -> None:
        """Nothing to tidy."""


class MemoryOutput(NullOutput):
    """Keeps written bytes in memory and, for copied files, only where they lie: for the preview."""

    def __init__(self) -> None:
        self.written: dict[str, bytes] = {}
        self.copied: dict[str, str] = {}

    def write(self, path: str, data: bytes) -> None:
        """Keep the bytes."""
        self.written[path] = data

    def copy(self, path: str, file: str, source: BinaryIO) -> None:
        """Remember which file of the site answers here."""
        self.copied[path] = file

    def get(self, path: str) -> bytes | None:
        """The bytes written at this output path, or None."""
        return self.written.get(path)

    @property
    def paths(self) -> frozenset[str]:
        """All output paths, written and copied."""
        return frozenset(self.written) | frozenset(self.copied)
