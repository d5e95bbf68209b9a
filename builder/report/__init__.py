"""Diagnostics for their readers: people at a terminal, programs, and GitHub's annotations.

Everything here gives text back and prints nothing; colours are left to whoever prints.
"""

from builder.report.by_code import count_by_code, counts_to_json, counts_to_lines
from builder.report.formats import (
    MOST_SHOWN,
    Line,
    Style,
    bounded,
    folded,
    lines_of,
    to_github,
    to_json,
    to_lines,
)
from builder.report.problem import Problem
from builder.report.source_frame import SourceReader, split_lines
from builder.report.summary import LevelCounts, counted, duration, failed
from builder.report.visible_text import visible

__all__ = [
    "MOST_SHOWN",
    "LevelCounts",
    "Line",
    "Problem",
    "SourceReader",
    "Style",
    "bounded",
    "count_by_code",
    "counted",
    "counts_to_json",
    "counts_to_lines",
    "duration",
    "failed",
    "folded",
    "lines_of",
    "split_lines",
    "to_github",
    "to_json",
    "to_lines",
    "visible",
]
