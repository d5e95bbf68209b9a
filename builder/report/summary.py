"""Count the diagnostics of each level, and draw the conclusion."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from builder.diagnostics import Diagnostic, Level


class LevelCounts(Struct, frozen=True):
    """Counts by level."""

    errors: int
    warnings: int
    infos: int

    @classmethod
    def of(cls, diagnostics: Iterable[Diagnostic]) -> LevelCounts:
        """Count them."""
        levels = [diagnostic.level for diagnostic in diagnostics]
        return cls(levels.count(Level.ERROR), levels.count(Level.WARNING), levels.count(Level.INFO))

    def __str__(self) -> str:
        """`3 errors, 1 warning`, or `no problems`."""
        counts = ((self.errors, "error"), (self.warnings, "warning"), (self.infos, "note"))
        return ", ".join(counted(number, noun) for number, noun in counts if number) or "no problems"

    def summary(self, pages: int, seconds: float) -> str:
        """`3 errors, 1 warning in 42 pages (0.8 s)`."""
        return f"{self} in {counted(pages, 'page')} ({duration(seconds)})"


def failed(diagnostics: Iterable[Diagnostic], levels: frozenset[Level]) -> bool:
    """Return whether one of the diagnostics is of a level that counts as failure."""
    return any(diagnostic.level in levels for diagnostic in diagnostics)


def counted(number: int, noun: str) -> str:
    """`1 page`, `2 pages`, `1,000 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """`0.04 s`, `0.8 s`, `12 s`."""
    digits = 2 if seconds < 0.1 else 1 if seconds < 10 else 0
    return f"{seconds:.{digits}f} s"
