"""Diagnostics of a page, told in the terms of the request that wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from builder.diagnostics import Diagnostic
from builder.store import Written
from server.authoring.frontmatter_merge import Unasked
from server.authoring.service import Prepared
from server.authoring.side_effects import beside
from server.authoring.structs import Finding, Part


def findings(page: Prepared, written: Written, told: Iterable[Diagnostic]) -> list[Finding]:
    """The findings: first what the write did unasked, then what a check says, in the order of the files."""
    unasked = [_unasked(page, one) for one in page.composed.changes]
    return [*beside(page, written), *unasked, *(_finding(page, one) for one in told)]


def _unasked(page: Prepared, one: Unasked) -> Finding:
    return Finding(one.code, "warning", "frontmatter", 0, 0, page.file, 0, one.message, one.hint)


def _finding(page: Prepared, one: Diagnostic) -> Finding:
    composed = page.composed
    line = one.line
    part: Part = "body"
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
