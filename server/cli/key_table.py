"""Keys as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from server.control import KeyRecord

HEAD = ("ID", "KIND", "ENDS WITH", "STATE", "EXPIRES", "LAST USED", "LABEL")
GAP = "  "


def to_lines(records: Sequence[KeyRecord], now: float) -> Iterator[str]:
    """A line of heads and one for each key; nothing when there is none. Times are those of this machine."""
    rows = [HEAD, *(_cells(record, now) for record in records)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows if records else ():
        yield GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def to_json(records: Sequence[KeyRecord], now: float) -> str:
    """One array, a key a line. Times are UTC as in ISO 8601, null for never."""
    lines = ",\n".join(json.dumps(_fields(record, now), ensure_ascii=False) for record in records)
    return f"[\n{lines}\n]\n" if records else "[]\n"


def _cells(record: KeyRecord, now: float) -> tuple[str, ...]:
    return (
        record.id,
        record.kind,
        record.last_four,
        record.state(now),
        _local(record.expires_at),
        _local(record.last_used_at),
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
        "created_at": _utc(record.created_at),
        "expires_at": _utc(record.expires_at),
        "last_used_at": _utc(record.last_used_at),
    }


def _local(seconds: int | None) -> str:
    if seconds is None:
        return "never"
    return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d %H:%M}"


def _utc(seconds: int | None) -> str | None:
    return None if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
