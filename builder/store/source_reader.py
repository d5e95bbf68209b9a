"""Readers of the sources of a site: its store, or a working copy with changes that are not on disk yet."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Protocol

from builder.store.part_files import PartFiles
from builder.store.records import Scan, Source
from builder.store.scan_findings import KnownCategory


class SourceReader(Protocol):
    """Reads the files of the site in the folder `root`; each method is as that of `ContentStore`."""

    @property
    def root(self) -> Path:
        """The site's folder."""

    def has_pages(self) -> bool:
        """Return whether the site has a folder for pages."""

    def scan(self, known: dict[str, KnownCategory] | None = None) -> Scan:
        """Return all pages, categories and files by name and size."""

    def read(self, path: str) -> Source:
        """Return the page at a content path."""

    def read_file(self, file: str) -> bytes:
        """Return the bytes of a file by its name on disk."""

    def open_file(self, file: str) -> BinaryIO:
        """Return the same, opened for reading."""

    def parts(self) -> PartFiles:
        """Return the files that pages may include."""
