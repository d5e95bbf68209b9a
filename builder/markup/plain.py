"""Parts that are too deep or too long to be parsed: they are shown as they were written, as code."""

from __future__ import annotations

import re

from markdown_it.token import Token

from builder.markup.reading import DEEPEST, Reading
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
    state.reading.found(
        state.chunk, start, "budget-exceeded", f"{why}: shown as plain text", "make it simpler"
    )
    text = shown(state.getLines(line, stop, state.blkIndent, False), state.reading)
    state.push("code_block", "code", 0).content = f"{text}\n"
    state.chunk.edit(start, state.eMarks[stop - 1], fenced(text), block=True)
    state.line = stop
    return True


def shown(text: str, reading: Reading) -> str:
    """The text. Without the plan nothing of it, when the body has premium components: it may be in one."""
    hidden = not reading.premium and _PREMIUM.search(reading.whole) is not None
    return "…" if hidden else text


def hide(token: Token, reading: Reading) -> None:
    """Without the plan, no premium component's content in running text that was not parsed."""
    for child in token.children or ():
        if child.type == "text" and not reading.premium and _PREMIUM.search(child.content):
            child.content = "…"


def fenced(text: str) -> str:
    """The text as a code block."""
    ticks = "`" * max((len(run) + 1 for run in _TICKS.findall(text)), default=3)
    return f"{ticks}\n{text}\n{ticks}"
