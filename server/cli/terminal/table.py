"""Lists as a table for people and as JSON for programs, and times as both of them want them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

GAP = "  "


def to_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A line of heads and one for each row; nothing when there is none."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows) if rows else ():
        yield GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def to_json(records: Sequence[Mapping[str, object]]) -> str:
    """One array, a record a line."""
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    return f"[\n{lines}\n]\n" if records else "[]\n"


def local(seconds: int | None) -> str:
    """As the clock of this machine shows it, `never` for None."""
    if seconds is None:
        return "never"
    return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d %H:%M}"


def utc(seconds: int | None) -> str | None:
    """As in ISO 8601, in UTC; None for never."""
    return None if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
