"""Source lines for frames, read through the one gate to a site's files."""

from __future__ import annotations

from functools import lru_cache

from builder.errors import TwinpressError
from builder.report import SourceReader, split_lines
from builder.store import ContentStore


def reader(store: ContentStore) -> SourceReader:
    """Reads the lines of a source file, or None; remembers the last few, as diagnostics come by file."""

    @lru_cache(maxsize=4)
    def read(file: str) -> list[str] | None:
        try:
            return split_lines(store.read_file(file).decode("utf-8", "replace"))
        except (OSError, TwinpressError):
            return None  # the diagnostic is shown without its line

    return read
