"""A fault of Twinpress in one line, for people who are to see errors and not tracebacks."""

from __future__ import annotations

import traceback
from pathlib import Path


def describe(error: BaseException) -> str:
    """`KeyError: 'x' (render/page.py:42)`: kind, text, and the line of code that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return f"{type(error).__name__}: {error}"
    file = Path(frames[-1].filename)
    return f"{type(error).__name__}: {error} ({file.parent.name}/{file.name}:{frames[-1].lineno})"
