"""The nearest known name, worked out once for each name that is not known."""

from __future__ import annotations

from functools import lru_cache

from builder.diagnostics import did_you_mean


def nearest(name: str, known: frozenset[str]) -> str:
    """A hint with the nearest name, or an empty string."""
    return _nearest(name[:60], known)


@lru_cache(maxsize=1024)
def _nearest(name: str, known: frozenset[str]) -> str:
    return did_you_mean(name, sorted(known))
