"""Diagnostics of a PUT in terms of the folder's files: the service counts lines in the text that was sent."""

from __future__ import annotations

from builder.frontmatter.split import split
from builder.paths import TWIN_SUFFIX
from builder.store import Source
from server.authoring.structs import Finding, Page
from server.sync.sync_report import Said

CHANGING = frozenset({"draft-kept", "frontmatter-replaced", "twin-kept"})
"""Codes with which the service says that a page is not what was sent."""
LINKS = frozenset({"broken-link", "broken-anchor", "link-draft"})
"""Codes that depend on other pages, which may be sent after this one."""


def said(finding: Finding, sent: Page, source: Source, revision: str) -> Said:
    """The finding about a page of the folder, which was `sent` and has this `revision` now."""
    file, line = source.file, 0
    if revision == source.revision:
        line = finding.file_line  # the very bytes of the folder's file
    elif finding.part != "frontmatter" and finding.line:
        line = finding.line + (_shift(sent, source) if finding.part == "body" else 0)
    if finding.part == "llmBody":
        file = f"{source.file.rpartition('.')[0]}{TWIN_SUFFIX}"
    column = finding.column if line else 0
    return Said(finding.code, finding.level, file, line, column, finding.message, finding.hint)


def _shift(sent: Page, source: Source) -> int:
    """Return how many lines further down the folder's file has what was sent."""
    return split(source.text, "").first_line - split(sent.body, "").first_line
