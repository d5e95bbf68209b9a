"""Keys of sites as a table for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from server.cli import table
from server.control import KeyRecord

HEAD = ("ID", "KIND", "ENDS WITH", "STATE", "EXPIRES", "LAST USED", "LABEL")


def to_lines(records: Sequence[KeyRecord], now: float) -> Iterator[str]:
    """A line of heads and one for each key; nothing when there is none. Times are those of this machine."""
    return table.to_lines(HEAD, [_cells(record, now) for record in records])


def to_json(records: Sequence[KeyRecord], now: float) -> str:
    """One array, a key a line. Times are UTC as in ISO 8601, null for never."""
    return table.to_json([_fields(record, now) for record in records])


def _cells(record: KeyRecord, now: float) -> tuple[str, ...]:
    return (
        record.id,
        record.kind,
        record.last_four,
        record.state(now),
        table.local(record.expires_at),
        table.local(record.last_used_at),
        record.label,
    )


def _fields(record: KeyRecord, now: float) -> dict[str, str | None]:
    return {
        "id": record.id,
        "kind": record.kind,
        "prefix": record.prefix,
        "last_four": record.last_four,
        "label": record.label,
        "state": record.state(now),
        "created_at": table.utc(record.created_at),
        "expires_at": table.utc(record.expires_at),
        "last_used_at": table.utc(record.last_used_at),
    }
