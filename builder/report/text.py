"""Problems as a compiler would show them, in styled pieces.

docs/guide/start.mdx:12:5: error: there is no page `docs/instal` [broken-link]
   12 | See [install](../instal.mdx) for more.
      |     ^
      = did you mean `docs/install`?
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal

from builder.report.problem import Problem

Style = Literal["message", "place", "error", "warning", "info", "code", "gutter", "source", "hint"]
Line = tuple[tuple[str, Style], ...]
"""One line without its end: pieces of text, each with what it is, for whoever knows about colours."""

LEVELS: dict[str, tuple[str, Style]] = {
    "error": ("error", "error"),
    "warning": ("warning", "warning"),
    "info": ("note", "info"),
}


def to_lines(problems: Iterable[Problem], prefix: str = "") -> Iterator[Line]:
    """All problems, grouped by file with an empty line after each group; `prefix` goes before file names."""
    for _, group in groupby(problems, key=lambda problem: problem.file):
        for problem in group:
            yield from lines_of(problem, prefix)
        yield ()


def lines_of(problem: Problem, prefix: str = "") -> Iterator[Line]:
    """One problem: place and message, the line of source with a caret, the hint."""
    place = _place(problem, prefix)
    yield (
        *(((f"{place}: ", "place"),) if place else ()),
        LEVELS[problem.level],
        (f": {problem.message}", "message"),
        (f" [{problem.code}]", "code"),
    )
    gutter = " " * max(5, len(str(problem.line)) + 1)
    if problem.source:
        yield ((f"{problem.line:>{len(gutter)}} | ", "gutter"), (problem.source, "source"))
        if problem.caret >= 0:
            yield ((f"{gutter} | ", "gutter"), (" " * problem.caret + "^", LEVELS[problem.level][1]))
    if problem.hint:
        yield ((f"{gutter} = ", "gutter"), (problem.hint, "hint"))


def _place(problem: Problem, prefix: str) -> str:
    if not problem.file:
        return ""
    numbers = [str(number) for number in (problem.line, problem.column) if number > 0]
    return ":".join([prefix + problem.file, *numbers])
