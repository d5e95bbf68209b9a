"""Outlines of several pages in one answer, bounded in time and in size; the reason for each that is missing.

The first is given whatever its size: its lists are bounded by themselves.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from builder.review.outline_structs import PageOutline
from builder.review.review import Review
from builder.review.work_budget import WorkBudget
from builder.site import Site

MOST_OUTLINES = 100_000
"""Bytes of the outlines of one answer, as JSON."""


class FoundOutline(Struct, frozen=True):
    """The outline of a page; None where the page is not there, or for the reason `missing`."""

    outline: PageOutline | None
    missing: str = ""


class BoundedOutlines:
    """Gives outlines until the budget of work, or what they may have together, is spent."""

    def __init__(self, review: Review, site: Site, budget: WorkBudget, *, full: bool = False) -> None:
        self._review, self._site, self._budget, self._full = review, site, budget, full
        self._left, self._has_one = MOST_OUTLINES, False

    def of(self, path: str) -> FoundOutline:
        """Return the outline of a page, or the reason why there is none."""
        if self._budget.is_spent:
            return FoundOutline(None, "there was no time for this outline: ask for it by itself")
        outline = self._review.outline_of(path, self._site, full=self._full)
        size = len(msgspec.json.encode(outline))
        if size > self._left and self._has_one:
            return FoundOutline(
                None,
                f"the outlines of an answer may have {MOST_OUTLINES:,} bytes, and those before this one left "
                f"{self._left:,}: ask for it by itself",
            )
        self._left, self._has_one = max(self._left - size, 0), True
        return FoundOutline(outline)
