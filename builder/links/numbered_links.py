"""Answer links with numbered findings, so that what is rendered tells at which place each one is."""

from __future__ import annotations

import re

from msgspec import Struct

from builder.links.resolved import Resolved
from builder.links.suggestions import Effort

_SIGN = "place-"
_A_SIGN = 900
"""Findings of one sign: a page has only so many of each."""
_SAID = re.compile(r"(\d+)(?: \((.*)\))?", re.DOTALL)


class NumberedLinks(Struct):
    """The part of `Links` that all have who answer so; `count` are the links that have a number by now."""

    count: int = 0

    def numbered(self, href: str, absolute: str) -> Resolved:
        """Return a finding with the next number, from 0."""
        number, self.count = self.count, self.count + 1
        return Resolved(href, absolute, problem=(f"{_SIGN}{number // _A_SIGN}", str(number), ""))

    def hint(self, _resolved: Resolved, _effort: Effort) -> str:
        """Return no hint."""
        return ""

    @property
    def digest(self) -> bytes:
        """Nothing is kept of what is rendered so."""
        return b""


def number_of(code: str, message: str) -> tuple[int, str] | None:
    """Return the number that a diagnostic has, and what stands behind it; None for one of another kind."""
    said = _SAID.fullmatch(message) if code.startswith(_SIGN) else None
    return (int(said[1]), said[2] or "") if said else None
