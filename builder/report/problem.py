"""A diagnostic as it is shown to people: everything made visible, with its line of source."""

from __future__ import annotations

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.report.source_frame import SourceReader, excerpt
from builder.report.visible_text import visible


class Problem(Struct, frozen=True):
    """One thing that is wrong; every text is safe to show.

    `file` is relative to the site, or empty. `source` is the line of source, possibly cut, and `caret` the
    number of terminal cells before the marked character; "" and -1 when there is no line to show.
    """

    level: str
    code: str
    message: str
    hint: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    source: str = ""
    caret: int = -1

    @classmethod
    def of(cls, diagnostic: Diagnostic, read: SourceReader) -> Problem:
        """A diagnostic with its line of source."""
        frame = excerpt(diagnostic, read)
        return cls(
            diagnostic.level.value,
            diagnostic.code,
            visible(diagnostic.message),
            visible(diagnostic.hint),
            visible(diagnostic.file),
            diagnostic.line,
            diagnostic.column,
            frame.text if frame else "",
            frame.caret if frame else -1,
        )
