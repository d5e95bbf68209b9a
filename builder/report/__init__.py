"""Diagnostics for their readers: people at a terminal, programs, and GitHub's annotations.

Everything here gives text back and prints nothing; colours are left to whoever prints.
"""

from builder.report.frame import Frame, SourceReader, excerpt
from builder.report.machine import to_github, to_json
from builder.report.tally import Tally, failed
from builder.report.text import Line, Style, to_lines
from builder.report.visible import visible, width

__all__ = [
    "Frame",
    "Line",
    "SourceReader",
    "Style",
    "Tally",
    "excerpt",
    "failed",
    "to_github",
    "to_json",
    "to_lines",
    "visible",
    "width",
]
