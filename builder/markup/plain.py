"""Parts that are too deep or too long to be parsed: they are shown as they were written, as code."""

from __future__ import annotations

import re

from builder.markup.reading import DEEPEST
from builder.markup.regions import limit
from builder.markup.state import ChunkState
from components.registry import COMPONENTS

_PREMIUM = re.compile(rf"<(?:{'|'.join(name for name, kind in COMPONENTS.items() if kind.premium)})\b")
_TICKS = re.compile(r"`{3,}")


def too_deep(state: ChunkState, line: int, end: int) -> bool:
    """Take all lines of the container, as code."""
    stop = limit(state, line, end)
    start = state.bMarks[line] + state.tShift[line]
    why = "so many tags" if state.exhausted else f"lists, quotes or components more than {DEEPEST} deep"
    state.reading.found(state.chunk, start, "budget-exceeded", f"{why}: shown as plain text", "make it simpler")
    text = shown(state.getLines(line, stop, state.blkIndent, False), premium=state.reading.premium)
    state.push("code_block", "code", 0).content = f"{text}\n"
    state.chunk.edit(start, state.eMarks[stop - 1], fenced(text), block=True)
    state.line = stop
    return True


def shown(text: str, *, premium: bool) -> str:
    """The text; without the plan, only what stands before the first premium component."""
    found = None if premium else _PREMIUM.search(text)
    return f"{text[: found.start()]}…" if found else text


def fenced(text: str) -> str:
    """The text as a code block."""
    ticks = "`" * max((len(run) + 1 for run in _TICKS.findall(text)), default=3)
    return f"{ticks}\n{text}\n{ticks}"
