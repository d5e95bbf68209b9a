"""The diagnostics of a whole site, found in the process that renders its pages, as there is time.

Pages are checked in the order of their files, so that a list goes on where it ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.review import Review
from builder.review.whole_check import checked
from builder.site import Site
from server.authoring.lookup.lookup_structs import DiagnosticsResult, SiteFinding
from server.authoring.structs import LevelCounts

SECONDS = 4.0
"""Of a processor, for rendering pages that are not known yet; a question has more in all."""


BEHIND = 2**53
"""A line that no file has."""


class FindingPlace(Struct, frozen=True, array_like=True):
    """The last finding that was told, or of a site that is not checked to its end the last file."""

    file: str
    line: int = 0
    column: int = 0
    code: str = ""
    message: str = ""


class FindingsQuestion(Struct, frozen=True):
    """The diagnostics of a site are asked for: `limit` of those that fit, behind the place `after`.

    An empty `level`, `prefix` or `code` fits all.
    """

    level: str
    prefix: str
    code: str
    limit: int
    after: FindingPlace | None = None
    seconds: float = SECONDS

    def answer(self, review: Review, site: Site) -> FoundFindings:
        """Return them, with how many there are."""
        state = checked(review, site, self.seconds)
        fit = [one for one in state.diagnostics if self._fits(one)]
        left = [one for one in fit if self.after is None or _key(one) > _key(self.after)]
        told = left[: self.limit]
        last = told[-1] if len(left) > len(told) else None
        place = FindingPlace(last.file, last.line, last.column, last.code, last.message) if last else None
        if place is None and state.checked < state.pages:
            # Who was further on before the process was started anew stays there.
            place = max(FindingPlace(state.until, BEHIND), self.after or FindingPlace(""), key=_key)
        findings = [_finding(one, state.paths.get(one.file, "")) for one in told]
        return FoundFindings(findings, counts_of(fit), state.checked, state.pages, place)

    def _fits(self, one: Diagnostic) -> bool:
        return (
            (not self.level or one.level == self.level)
            and (not self.code or one.code == self.code)
            and one.file.startswith(self.prefix)
        )


class FoundFindings(Struct, frozen=True):
    """The findings, the counts of all that fit, the pages checked and those there are; where to go on."""

    findings: list[SiteFinding]
    counts: LevelCounts
    checked: int
    pages: int
    place: FindingPlace | None

    def result(self, next_cursor: str | None) -> DiagnosticsResult:
        """Return the answer of the API."""
        return DiagnosticsResult(self.findings, self.counts, self.checked, self.pages, next_cursor)


def _key(one: Diagnostic | FindingPlace) -> tuple[str, int, int, str, str]:
    return one.file, one.line, one.column, one.code, one.message


def counts_of(found: Iterable[Diagnostic]) -> LevelCounts:
    """Return how many diagnostics of each level there are."""
    return LevelCounts(**Counter(one.level.value for one in found))


def _finding(one: Diagnostic, path: str) -> SiteFinding:
    return SiteFinding(one.code, one.level.value, path, one.file, one.line, one.column, one.message, one.hint)
