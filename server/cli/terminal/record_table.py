"""Lists as a table for people and as JSON for programs, and times as both of them want them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Generic, TypeVar

from msgspec import Struct

from server.cli.terminal import console

Record = TypeVar("Record")


class Listing(Struct, Generic[Record], frozen=True):
    """The columns and words of a list of records of one kind."""

    head: Sequence[str]
    cells: Callable[[Record], Sequence[str]]
    """A row of the table. Times are those of this machine."""
    fields: Callable[[Record], Mapping[str, object]]
    """The same for programs. Times are UTC as in ISO 8601, null for never."""
    nothing: str = ""
    """What a person is told when there is none."""

    def show(self, records: Sequence[Record], *, as_json: bool) -> None:
        """Print them."""
        if as_json:
            console.write(to_json([self.fields(each) for each in records]))
            return
        for line in to_lines(self.head, [self.cells(each) for each in records]):
            console.line(line)
        if not records and self.nothing:
            console.note(self.nothing)


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
