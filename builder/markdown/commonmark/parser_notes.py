"""Notes of the parser's rules about the source, each with its place, kept in `env["notes"]`."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

KEY = "notes"
MAX_NOTES = 100
"""Notes of one code on one page; nobody reads more, and a page may have a hundred thousand faults."""


class Note(Struct, frozen=True):
    """A diagnostic in the making. `line` counts from 0 in the text that was parsed.

    `near` is a text to look for from that line on, to find the exact column ("" for none); a rule that knows
    the very offset in that text says it in `at`.
    """

    code: str
    line: int
    message: str
    hint: str = ""
    near: str = ""
    at: int = -1


def note(env: MutableMapping[str, Any], found: Note) -> None:
    """Remember a note; rules call this once for each fault, never in silent mode."""
    kept = env.setdefault(KEY, [])
    counts = env.setdefault(f"{KEY}_counts", {})
    count = counts[found.code] = counts.get(found.code, 0) + 1
    if count < MAX_NOTES:
        kept.append(found)
    elif count == MAX_NOTES:
        kept.append(replace(found, message=f"{found.message} (and there are more of these)"))


def notes(env: MutableMapping[str, Any]) -> list[Note]:
    """All notes of one parse, in the order they were found."""
    found: list[Note] = env.get(KEY, [])
    return found
