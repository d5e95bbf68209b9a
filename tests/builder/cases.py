"""Cases in files: a title, then sources and what is expected of them, between lines that are a dot.

    A title that says what happens
    .
    source
    .
    what is expected
    .

Fewer or more parts may stand between the dots; what stands outside them is the title of the next case. In a
part, `→` is a tab, `␠` a blank that editors would take away at the end of a line, and `␍` a carriage return.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_MARKS = {"→": "\t", "␠": " ", "␍": "\r"}
_FOLDER = Path(__file__).parent / "fixtures"


class Case(NamedTuple):
    """One case; `line` is where its title stands."""

    title: str
    line: int
    parts: tuple[str, ...]


def cases(name: str, parts: int) -> list[Case]:
    """The cases of `fixtures/<name>.md`, each of so many parts."""
    lines = (_FOLDER / f"{name}.md").read_text("utf-8").split("\n")
    found: list[Case] = []
    title, start, texts, begin = "", 0, [], -1
    for number, line in enumerate(lines, start=1):
        if line != ".":
            if begin < 0 and line.strip():
                title, start = line.strip(), number
            continue
        if begin >= 0:
            texts.append(_text(lines[begin : number - 1]))
        begin = number
        if len(texts) == parts:
            found.append(Case(title, start, tuple(texts)))
            title, texts, begin = "", [], -1
    return found


def _text(lines: list[str]) -> str:
    text = "\n".join(lines)
    for mark, char in _MARKS.items():
        text = text.replace(mark, char)
    return text
