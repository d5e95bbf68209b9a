"""Diagnostics of a page, told in the terms of the request that wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from builder.diagnostics import Diagnostic
from server.pages.keeping import Unasked
from server.pages.service import Prepared
from server.pages.structs import Finding


def findings(page: Prepared, told: Iterable[Diagnostic]) -> list[Finding]:
    """The findings, in the order of the files."""
    dropped = [_twin_dropped(page)] if page.drops_twin else []
    unasked = [_unasked(page, one) for one in page.composed.changes]
    return [*dropped, *unasked, *(_finding(page, one) for one in told)]


def _unasked(page: Prepared, one: Unasked) -> Finding:
    return Finding(one.code, "warning", "frontmatter", 0, 0, page.file, 0, one.message, one.hint)


def _twin_dropped(page: Prepared) -> Finding:
    message = "the page had a hand-written twin, and has none now, because the request has no `llmBody`"
    hint = "send the `llmBody` that GET gives, to keep it"
    return Finding("twin-dropped", "warning", "llmBody", 0, 0, page.twin_file, 0, message, hint)


def _finding(page: Prepared, one: Diagnostic) -> Finding:
    composed = page.composed
    line = one.line
    part: Literal["body", "frontmatter", "llmBody"] = "body"
    if one.file != page.file:
        part = "llmBody"
    elif one.line and one.line < composed.file_line:
        part, line = "frontmatter", 0
    elif one.line:
        line = one.line - composed.file_line + composed.sent_line
    return Finding(
        code=one.code,
        level=one.level.value,
        part=part,
        line=line,
        column=one.column if line else 0,
        file=one.file,
        file_line=one.line,
        message=one.message,
        hint=one.hint,
    )
