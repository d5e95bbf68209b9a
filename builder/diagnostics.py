"""Diagnostics: what the builder has to say about a site's content, each with its place and a way out.

The codes and what they mean stand in `builder/codes.py`; how they are printed, in `builder/report.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from builder.codes import CODES
from components.nearest import did_you_mean

__all__ = ["Diagnostic", "Level", "did_you_mean"]


class Level(StrEnum):
    """How bad it is. `error` breaks a reader's way or loses a page; `warning` was changed or dropped."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One finding. `file` is relative to the site; `line` and `column` count from 1 (0: the whole file)."""

    file: str
    line: int
    column: int
    code: str
    message: str
    hint: str = ""

    @property
    def level(self) -> Level:
        """The level belongs to the code, so that one code never means two things."""
        return Level(CODES[self.code].level)
