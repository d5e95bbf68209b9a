"""Contents of the page's panel: diagnostics with their lines of source, and builds that failed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from builder.diagnostics import Diagnostic, Level
from builder.errors import TwinpressError
from builder.preview import CONFIG_INVALID
from builder.report import Problem, visible
from builder.store import ContentStore
from server.process.faults import describe
from server.source_lines import reader

FAILED, CRASHED, NO_MEMORY = "build-failed", "internal-error", "out-of-memory"
BLOCKING = frozenset({CONFIG_INVALID, FAILED, CRASHED, NO_MEMORY})
"""What keeps a state from being shown."""
SHOWN = (Level.ERROR, Level.WARNING)
PAGES = frozenset({".md", ".mdx"})


class Problems:
    """Diagnostics as they are shown, each made once for as long as its file does not change."""

    def __init__(self) -> None:
        self._known: dict[Diagnostic, Problem] = {}

    def forget(self, changed: Collection[str]) -> None:
        """These files are others now; one that is a folder, or none of the site's, may stand for any."""
        if all(PurePosixPath(file).suffix in PAGES for file in changed):
            self._known = {each: shown for each, shown in self._known.items() if each.file not in changed}
        else:
            self._known.clear()

    def of(self, diagnostics: Iterable[Diagnostic], store: ContentStore) -> tuple[Problem, ...]:
        """Errors and warnings with their lines of source."""
        read, known = reader(store), self._known
        shown = [each for each in diagnostics if each.level in SHOWN]
        self._known = {each: known.get(each) or Problem.of(each, read) for each in shown}
        return tuple(self._known.values())


def of_error(error: TwinpressError) -> Problem:
    """A build that could not be done."""
    place = f"{error.path}: " if error.path else ""
    return Problem("error", FAILED, visible(place + error.message), visible(error.hint))


def of_crash(error: Exception) -> Problem:
    """A build that met a fault of Twinpress, or had too little memory."""
    if isinstance(error, MemoryError):
        return Problem("error", NO_MEMORY, "there is too little memory to build the site", "make it smaller")
    hint = "this is a fault of Twinpress; please report it with what you changed last"
    return Problem("error", CRASHED, visible(f"Twinpress failed: {describe(error)}"), hint)


def concerns(problem: Problem, output: str) -> bool:
    """Return whether the problem is in the source of the page that is written to this output path."""
    if not problem.file:
        return False
    path = str(PurePosixPath(problem.file).with_suffix("")).removeprefix("pages/")
    return path == output.removesuffix(".html")
