"""What `list` prints: a table for people, or with `--json` an array for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from server.cli.terminal import console, table

Record = TypeVar("Record")


class Listing(Struct, Generic[Record], frozen=True):
    """How records of one kind are listed."""

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
            console.write(table.to_json([self.fields(each) for each in records]))
            return
        for line in table.to_lines(self.head, [self.cells(each) for each in records]):
            console.line(line)
        if not records and self.nothing:
            console.note(self.nothing)
