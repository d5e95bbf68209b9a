"""Bound the diagnostics that people are shown: of one kind in one file no more than anybody reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from builder.diagnostics import Diagnostic

MOST_SHOWN = 1_000
"""Diagnostics of one code in one file."""


def bounded(diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """The first so many of each code and file; the last of them says how many more there are."""
    left = Counter((found.file, found.code) for found in diagnostics)
    shown: Counter[tuple[str, str]] = Counter()
    for found in diagnostics:
        kind = found.file, found.code
        left[kind] -= 1
        shown[kind] += 1
        if shown[kind] == MOST_SHOWN and left[kind]:
            more = f" (and {left[kind]:,} more; `--format json` has them all)"
            yield replace(found, message=found.message + more)
        elif shown[kind] <= MOST_SHOWN:
            yield found
