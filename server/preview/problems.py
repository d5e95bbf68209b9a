"""What the panel in the page shows: diagnostics with their lines of source, and builds that failed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from builder.diagnostics import Diagnostic, Level
from builder.errors import TwinpressError
from builder.report import Problem, visible
from builder.store import ContentStore
from server.faults import describe
from server.sources import reader

FAILED, CRASHED = "build-failed", "internal-error"
SHOWN = (Level.ERROR, Level.WARNING)


def of_diagnostics(diagnostics: Iterable[Diagnostic], store: ContentStore) -> tuple[Problem, ...]:
    """Errors and warnings with their lines of source."""
    read = reader(store)
    return tuple(Problem.of(each, read) for each in diagnostics if each.level in SHOWN)


def of_error(error: TwinpressError) -> Problem:
    """A build that could not be done."""
    place = f"{error.path}: " if error.path else ""
    return Problem("error", FAILED, visible(place + error.message), visible(error.hint))


def of_crash(error: Exception) -> Problem:
    """A build that met a fault of Twinpress."""
    hint = "this is a fault of Twinpress; please report it with what you changed last"
    return Problem("error", CRASHED, visible(f"Twinpress failed: {describe(error)}"), hint)


def concerns(problem: Problem, output: str) -> bool:
    """Whether the problem is in the source of the page that is written to this output path."""
    if not problem.file:
        return False
    path = str(PurePosixPath(problem.file).with_suffix("")).removeprefix("pages/")
    return path == output.removesuffix(".html")
