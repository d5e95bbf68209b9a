"""One parse of a body, with all it knows and finds out; the rules get it as `env["reading"]`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from msgspec import Struct, field

from builder.diagnostics import Diagnostic
from builder.markdown.mdx.chunk.chunks import Chunk, Place
from builder.markdown.mdx.scan.scanned_text import ScannedText
from components.base import Component
from components.nearest import Hint
from components.nearest import found as hint_found
from components.registry import components_of
from components.words import ENGLISH, Words

KEY = "reading"

DEEPEST = 32
"""How deep lists, quotes and components may stand within each other (a list counts twice)."""

MOST_MARKS = 150_000
"""Marks (tags, braces, backticks, colons) looked at to find what belongs together, over all chunks."""

WITHHELD = "…"
"""Stands for what may be a part that the plan hides, where it was not parsed."""

MOST_FINDINGS = 1_000
"""Findings of one code on one page; nobody reads more."""


class PlacedDiagnostic(Struct, frozen=True):
    """A diagnostic at a place."""

    place: Place
    code: str
    message: str
    hint: str

    def diagnostic(self, file: str) -> Diagnostic:
        """The diagnostic for `file`."""
        line, column = self.place.position()
        return Diagnostic(file, line, column, self.code, self.message, self.hint)


class Reading(Struct):
    """One parse, of `body`.

    `locked` tells that the plan hides premium parts and that there may be some whose end only the parser
    finds; what is not parsed is not shown then.
    `words` are for the notices in place of premium parts.
    `extras` are those that the site has switched on.
    `withheld` counts the texts that were not parsed and not shown.
    `marked` counts the inline tokens that are to be settled after their paragraph is parsed.
    """

    body: Chunk
    premium: bool
    locked: bool = False
    words: Words = ENGLISH
    extras: frozenset[str] = frozenset()
    findings: list[PlacedDiagnostic] = field(default_factory=list)
    marks: int = 0
    marked: int = 0
    withheld: int = 0
    unclosed_statements: int = 0
    premium_tags: list[Place] = field(default_factory=list)
    """Tags of premium components without another one: openings without an end, and ends of nothing."""
    notes: dict[int, Chunk] = field(default_factory=dict)
    """The chunks of those notes of the parser (by number) that were made while a chunk was parsed."""
    _counts: Counter[str] = field(default_factory=Counter)
    _scanned: ScannedText = field(default_factory=lambda: ScannedText(""))

    @property
    def components(self) -> Mapping[str, type[Component]]:
        """The components that pages of this site can use."""
        return components_of(self.extras)

    def unpaired(self, place: Place) -> None:
        """Remember a tag of a premium component that has no other, where the plan hides such components."""
        if not self.premium:
            self.premium_tags.append(place)

    def found(self, place: Place, code: str, message: str, hint: Hint = "") -> None:
        """Remember a finding at `place`; of one code only so many."""
        count = self._counts[code] = self._counts[code] + 1
        more = " (and there are more of these)" if count == MOST_FINDINGS else ""
        if count <= MOST_FINDINGS:
            self.findings.append(PlacedDiagnostic(place, code, message + more, hint_found(hint)))

    def noted(self, first: int, end: int, chunk: Chunk) -> None:
        """Notes of the parser with these numbers are of `chunk`, unless they are of one within."""
        for number in range(first, end):
            self.notes.setdefault(number, chunk)

    def diagnostics(self, file: str) -> Iterator[Diagnostic]:
        """All findings, in the order they were made."""
        return (finding.diagnostic(file) for finding in self.findings)

    def scanned(self, text: str) -> ScannedText:
        """Return what is known of the text of the paragraph that is being parsed."""
        if self._scanned.text is not text:
            self._scanned = ScannedText(text, self.components, math="math" in self.extras)
        return self._scanned


def reading(env: MutableMapping[str, Any]) -> Reading:
    """The reading of this parse."""
    found: Reading = env[KEY]
    return found
