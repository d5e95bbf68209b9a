"""Join what two people have made of one text; where both changed the same, both sides are shown.

The three-way merge of diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3, 2007).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from server.dashboard.differences import opcodes

YOURS, BETWEEN, THEIRS = "<<<<<<< yours", "=======", ">>>>>>> theirs"

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Merge(Struct, frozen=True):
    """The joined text; each of the `conflicts` stands in it as both sides between three marks."""

    text: str
    conflicts: int


def merge(base: str, yours: str, theirs: str) -> Merge:
    """Join two texts that were made of `base`."""
    parts = list(_parts(*(_LINE.findall(text) for text in (base, yours, theirs))))
    conflicts = sum(len(part) == 2 for part in parts)
    return Merge("".join(_shown(part) for part in parts), conflicts)


_Part = tuple[Sequence[str], ...]
"""Lines that are settled, or both sides of what is not."""


def _parts(base: list[str], yours: list[str], theirs: list[str]) -> Iterator[_Part]:
    mine, other = _matches(base, yours), _matches(base, theirs)
    at = left = right = 0
    for line in range(len(base) + 1):
        is_end = line == len(base)
        if not is_end and (line not in mine or line not in other):
            continue
        to_left, to_right = (len(yours), len(theirs)) if is_end else (mine[line], other[line])
        yield from _settled(base[at:line], yours[left:to_left], theirs[right:to_right])
        if not is_end:
            yield (base[line : line + 1],)
        at, left, right = line + 1, to_left + 1, to_right + 1


def _matches(base: list[str], changed: list[str]) -> dict[int, int]:
    """The lines of `base` that are still there, with their places."""
    return {
        a + step: c + step
        for tag, a, b, c, _ in opcodes(base, changed)
        if tag == "equal"
        for step in range(b - a)
    }


def _settled(base: list[str], yours: list[str], theirs: list[str]) -> Iterator[_Part]:
    if theirs in (base, yours):
        yield (yours,)
    elif yours == base:
        yield (theirs,)
    else:
        yield (yours, theirs)


def _shown(part: _Part) -> str:
    if len(part) == 1:
        return "".join(part[0])
    yours, theirs = (_ended("".join(side)) for side in part)
    return f"{YOURS}\n{yours}{BETWEEN}\n{theirs}{THEIRS}\n"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
