"""Diagnostics in three formats: text as a compiler shows it, a JSON array, and GitHub's workflow commands.

docs/guide/start.mdx:12:5: error: there is no page `docs/instal` [broken-link]
   12 | See [install](../instal.mdx) for more.
      |     ^
      = did you mean `docs/install`?

Text is given in styled pieces, and no more diagnostics of one kind in one file than anybody reads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from msgspec.structs import replace

from builder.diagnostics import Diagnostic, Level
from builder.report.problem import Problem
from builder.report.summary import counted
from builder.report.visible_text import visible

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


GITHUB_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def to_json(diagnostics: Iterable[Diagnostic]) -> str:
    """One array of `{code, level, file, line, column, message, hint}`, see `json_array`."""
    return json_array(map(_record, diagnostics))


def json_array(records: Iterable[Mapping[str, object]]) -> str:
    """An array with an object a line, all of it ASCII.

    ASCII because a terminal would obey control characters above U+007F, which JSON does not escape.
    """
    import json  # noqa: PLC0415 - slow to load, and most builds are for people

    lines = [json.dumps(record) for record in records]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def _record(diagnostic: Diagnostic) -> dict[str, str | int]:
    return {
        "code": diagnostic.code,
        "level": diagnostic.level.value,
        "file": diagnostic.file,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
    }


def to_github(diagnostics: Iterable[Diagnostic], prefix: str = "") -> str:
    """One workflow command a line. `prefix` is the site's path within the repository, with its slash."""
    return "".join(_command(diagnostic, prefix) + "\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic, prefix: str) -> str:
    properties = {"title": diagnostic.code}
    if diagnostic.file:
        properties = {"file": prefix + diagnostic.file, **_position(diagnostic), **properties}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = visible(diagnostic.message) + (f"\n{visible(diagnostic.hint)}" if diagnostic.hint else "")
    return f"::{GITHUB_LEVELS[diagnostic.level]} {listed}::{_data(text)}"


def _position(diagnostic: Diagnostic) -> dict[str, str]:
    """GitHub refuses line 0, so what is about the whole file has no line."""
    if diagnostic.line < 1:
        return {}
    column = {"col": str(diagnostic.column)} if diagnostic.column > 0 else {}
    return {"line": str(diagnostic.line)} | column


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


_IN_PART = re.compile(r" \(in `[^`]+`, line \d+, column \d+")
"""The words of a message that name the place in a part, see `builder.markdown.parts.source_map`."""
MOST_SHOWN = 1_000
"""Diagnostics of one code in one file."""


def folded(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Show a fault of a part on the first page that includes it, which says how many other pages do."""
    shown: list[Diagnostic] = []
    files: dict[tuple[str, str], dict[str, int]] = {}
    for found in diagnostics:
        part = _IN_PART.search(found.message)
        pages = files.setdefault((found.code, found.message[: part.end()]), {}) if part else {}
        # What a page has twice is told twice, and what another page has is not told again.
        if found.file == next(iter(pages), found.file):
            pages.setdefault(found.file, len(shown))
            shown.append(found)
        else:
            pages.setdefault(found.file, -1)
    for pages in files.values():
        if len(pages) > 1:
            first = next(iter(pages.values()))
            more = f", and on {counted(len(pages) - 1, 'more page')}"
            shown[first] = replace(shown[first], message=shown[first].message + more)
    return shown


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
