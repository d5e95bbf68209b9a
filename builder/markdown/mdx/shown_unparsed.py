"""Parts that are too deep or too long to be parsed: they are shown as they were written, as code."""

from __future__ import annotations

import re

from markdown_it.utils import EnvType

from builder.markdown.mdx.cursor.reading import DEEPEST, WITHHELD, Reading, reading
from builder.markdown.mdx.cursor.regions import limit
from builder.markdown.mdx.cursor.state import ChunkState

_TICKS = re.compile(r"`{3,}")


def too_deep(state: ChunkState, line: int, end: int) -> bool:
    """Take all lines of the container, as code."""
    stop = limit(state, line, end)
    place = state.place(line)
    why = "so many tags" if state.exhausted else f"lists, quotes or components more than {DEEPEST} deep"
    state.reading.found(place, "budget-exceeded", f"{why}: shown as plain text", "simplify it")
    text = shown(state.getLines(line, stop, state.blkIndent, False), state.reading)
    state.push("code_block", "code", 0).content = f"{text}\n"
    state.chunk.edit(place.offset, state.eMarks[stop - 1], fenced(text), block=True)
    state.line = stop
    return True


def shown(text: str, reading: Reading) -> str:
    """The text, or nothing of it where it may be a part that the plan hides."""
    reading.withheld += reading.locked
    return WITHHELD if reading.locked else text


def running(env: EnvType, text: str) -> str:
    """Return the text to show of running text that is not parsed."""
    return shown(text, reading(env))


def fenced(text: str) -> str:
    """The text as a code block."""
    ticks = "`" * max((len(run) + 1 for run in _TICKS.findall(text)), default=3)
    return f"{ticks}\n{text}\n{ticks}"
