"""Diagnostics for programs: a JSON array, and the workflow commands that GitHub turns into annotations."""

from __future__ import annotations

from collections.abc import Iterable

from builder.diagnostics import Diagnostic, Level
from builder.report.visible import visible

GITHUB_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def to_json(diagnostics: Iterable[Diagnostic]) -> str:
    """One array of `{code, level, file, line, column, message, hint}`, an object a line, all of it ASCII.

    ASCII because a terminal would obey control characters above U+007F, which JSON does not escape.
    """
    import json  # noqa: PLC0415 - slow to load, and most builds are for people

    records = [json.dumps(_record(diagnostic)) for diagnostic in diagnostics]
    return "[\n" + ",\n".join(records) + "\n]\n" if records else "[]\n"


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
        properties = {"file": prefix + diagnostic.file, **_place(diagnostic), **properties}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = visible(diagnostic.message) + (f"\n{visible(diagnostic.hint)}" if diagnostic.hint else "")
    return f"::{GITHUB_LEVELS[diagnostic.level]} {listed}::{_data(text)}"


def _place(diagnostic: Diagnostic) -> dict[str, str]:
    """GitHub refuses line 0, so what is about the whole file has no line."""
    if diagnostic.line < 1:
        return {}
    column = {"col": str(diagnostic.column)} if diagnostic.column > 0 else {}
    return {"line": str(diagnostic.line)} | column


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
