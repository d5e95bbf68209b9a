"""The two sides of a conflict as a unified diff, towards the side that a push or pull would write."""

from __future__ import annotations

import difflib
from typing import Literal

from builder.paths import TWIN_SUFFIX
from builder.store import Source
from server.authoring.structs import Page
from server.sync.page_content import text_of

Towards = Literal["ours", "theirs"]
NOWHERE = "/dev/null"


def page_diff(path: str, ours: Source | None, theirs: Page | None, towards: Towards) -> str:
    """The difference of a page and its twin: `ours` is the folder's, `theirs` the service's."""
    here = None if ours is None else ours.text
    there = None if theirs is None else _text(theirs, here or "")
    twins = ours.twin if ours else None, theirs.llmBody if theirs else None
    names = ours.file if ours else "", f"{path}.{theirs.format}" if theirs else ""
    parts = [_diff(names, (here, there), towards)]
    if twins != (None, None):
        parts.append(_diff((path + TWIN_SUFFIX, path + TWIN_SUFFIX), twins, towards))
    return "".join(parts)


def _text(page: Page, ours: str) -> str:
    """The page as a file; its body alone where no file says the same."""
    try:
        return text_of(page, ours)
    except ValueError:
        return page.body


def _diff(names: tuple[str, str], texts: tuple[str | None, str | None], towards: Towards) -> str:
    """One file. The sides come in the order ours, theirs."""
    if texts[0] == texts[1] and names[0] == names[1]:
        return ""
    titles = [
        NOWHERE if text is None else f"{name} ({side})"
        for name, text, side in zip(names, texts, ("ours", "theirs"), strict=True)
    ]
    old, new = (1, 0) if towards == "ours" else (0, 1)
    lines = [*difflib.unified_diff(_lines(texts[old]), _lines(texts[new]), titles[old], titles[new])]
    if not lines:
        lines = [f"--- {titles[old]}\n", f"+++ {titles[new]}\n"]  # the same text under another name
    return "".join(_ended(line) for line in lines)


def _lines(text: str | None) -> list[str]:
    if not text:
        return []
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
