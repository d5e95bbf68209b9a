"""A fault of Twinpress in one line, for people who are to see errors and not tracebacks."""

from __future__ import annotations

import traceback
from pathlib import Path

OURS = Path(__file__).resolve().parents[2]


def describe(error: BaseException) -> str:
    """`KeyError: 'x' (builder/paths.py:42)`: kind, text, and the last line of ours that was running."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(OURS)]
    text = f"{type(error).__name__}: {error}"
    if not ours:
        return text
    return f"{text} ({Path(ours[-1].filename).relative_to(OURS)}:{ours[-1].lineno})"
