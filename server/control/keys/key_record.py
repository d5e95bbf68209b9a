"""Keys as rows of the database."""

from __future__ import annotations

import msgspec

from server.control.keys.records import KeyRecord
from server.control.sqlite.database import Row, Value

_FIELDS = KeyRecord.__struct_fields__
_OWN = tuple(name for name in _FIELDS if name != "suspended")

# A site of nobody's account, as on its writer's own machine, is never suspended.
SELECT = f"""
    SELECT {", ".join(f"keys.{name}" for name in _OWN)}, COALESCE(accounts.suspended, 0)
    FROM keys JOIN sites ON sites.id = keys.site LEFT JOIN accounts ON accounts.id = sites.account
"""  # noqa: S608 - constants alone
INSERT = f"""
    INSERT INTO keys ({", ".join(_OWN)}, digest) VALUES ({", ".join("?" * (len(_OWN) + 1))})
"""  # noqa: S608


def to_row(record: KeyRecord, digest: str) -> tuple[Value, ...]:
    """The values of INSERT."""
    return (
        record.id,
        str(record.kind),
        record.site,
        record.prefix,
        record.last_four,
        record.label,
        record.created_at,
        record.expires_at,
        record.last_used_at,
        int(record.disabled),
        digest,
    )


def to_record(row: Row) -> KeyRecord:
    """The record of a row of SELECT."""
    # Not strict: SQL has 0 and 1 where the record has False and True.
    return msgspec.convert(dict(zip(_FIELDS, row, strict=True)), KeyRecord, strict=False)
