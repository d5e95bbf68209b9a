"""How keys of sites are listed."""

from __future__ import annotations

from server.cli.terminal import table
from server.cli.terminal.listing import Listing
from server.control import KeyRecord

HEAD = ("ID", "KIND", "ENDS WITH", "STATE", "EXPIRES", "LAST USED", "LABEL")
NOTHING = "This site has no keys. `twinpress key create` makes one."


def listing(now: float) -> Listing[KeyRecord]:
    """With the states that keys have now, in seconds since 1970."""
    return Listing(HEAD, lambda record: _cells(record, now), lambda record: _fields(record, now), NOTHING)


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
