"""Diagnostics: what the builder has to say about a site's content, each with its place and a way out.

The codes and their meanings stand in `builder/diagnostic_codes/`; `builder/report` prints them.
"""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import force_setattr

from builder.lazy_regex import lazy
from components.nearest import did_you_mean

__all__ = ["Diagnostic", "Level", "did_you_mean"]


MAX_NAME = 80
"""Characters of a name that a message quotes."""
MAX_TEXT = 400
"""Characters of a message, and of a hint."""

_NAME = lazy("`([^`]*)`")


class Level(StrEnum):
    """The severity of a diagnostic.

    `error` breaks a reader's way or loses a page; `warning` was changed or dropped.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Diagnostic(Struct, frozen=True, order=True):
    """One finding. `file` is relative to the site; `line` and `column` count from 1 (0: the whole file).

    Names that `message` quotes are shortened, because a name in a source can have any length.
    """

    file: str
    line: int
    column: int
    code: str
    message: str
    hint: str = ""

    def __post_init__(self) -> None:
        """Shorten what cannot be read in one line."""
        if len(self.message) > MAX_NAME:
            force_setattr(self, "message", _cut(_NAME.sub(_shortened, self.message), MAX_TEXT))
        if len(self.hint) > MAX_TEXT:
            force_setattr(self, "hint", _cut(self.hint, MAX_TEXT))

    @property
    def level(self) -> Level:
        """The level belongs to the code, so that one code never means two things."""
        # Loaded here, as a build of which nothing is told needs no table with texts for authors.
        from builder.diagnostic_codes import CODES  # noqa: PLC0415

        return Level(CODES[self.code].level)


def _shortened(name: re.Match[str]) -> str:
    return f"`{_cut(name[1], MAX_NAME)}`"


def _cut(text: str, longest: int) -> str:
    """The text, or its beginning and its end, which tell more of a path than its beginning alone."""
    if len(text) <= longest:
        return text
    end = longest * 3 // 8
    return f"{text[: longest - end - 1].rstrip()}…{text[-end:].lstrip()}"
