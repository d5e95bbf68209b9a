"""Diagnostics for their readers: people at a terminal, programs, and GitHub's annotations.

Everything here gives text back and prints nothing; colours are left to whoever prints.
"""

from builder.report.bound import MOST_SHOWN, bounded
from builder.report.frame import SourceReader, split_lines
from builder.report.machine import to_github, to_json
from builder.report.problem import Problem
from builder.report.tally import Tally, counted, duration, failed
from builder.report.text import Line, Style, lines_of, to_lines
from builder.report.visible import visible

__all__ = [
    "MOST_SHOWN",
    "Line",
    "Problem",
    "SourceReader",
    "Style",
    "Tally",
    "bounded",
    "counted",
    "duration",
    "failed",
    "lines_of",
    "split_lines",
    "to_github",
    "to_json",
    "to_lines",
    "visible",
]
