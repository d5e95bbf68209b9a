"""One key of a site: its record and its row in the database, never the key itself."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.control.keys.key_text import KeyKind
from server.control.plans import PlanName
from server.control.sqlite.database import Row, Value, record_of
from server.struct_types import prepare

State = Literal["active", "disabled", "expired"]


class KeyRecord(Struct, frozen=True):
    """One key. Times are whole seconds since 1970, UTC."""

    id: str
    kind: KeyKind
    site: str
    prefix: str
    last_four: str
    label: str
    """What its owner calls it, "" when that is nothing."""
    created_at: int
    expires_at: int | None
    """The first second at which it is not valid any more; None when it lives until it is deleted."""
    last_used_at: int | None
    """When it was last used, give or take a minute; None when it never was."""
    disabled: bool
    """Whether its owner has disabled it."""
    navigation: bool = False
    """Whether it may change the header, the footer and the sidebar of its site."""
    suspended: bool = False
    """Whether the account that its site belongs to is suspended, which disables all keys of the account."""
    site_deleted: bool = False
    """Whether its site is to be deleted, which disables its keys until the site is restored."""
    plan: PlanName | None = None
    """The plan of the account that its site belongs to; None on a writer's own machine."""

    def state(self, now: float) -> State:
        """Return the state of the key at the time `now`.

        A one-off key is expired before its creation too: a clock that was set back revives no key.
        """
        if self.expires_at is not None and not self.created_at <= now < self.expires_at:
            return "expired"
        return "disabled" if self.disabled or self.suspended or self.site_deleted else "active"


prepare(KeyRecord)
_FIELDS = KeyRecord.__struct_fields__
_DERIVED = ("suspended", "site_deleted", "plan")
_OWN = tuple(name for name in _FIELDS if name not in _DERIVED)

# A site of nobody's account, as on its writer's own machine, is never suspended.
SELECT = f"""
    SELECT {", ".join(f"keys.{name}" for name in _OWN)}, COALESCE(accounts.suspended, 0),
        sites.delete_at IS NOT NULL, accounts.plan
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
        int(record.navigation),
        digest,
    )


def to_record(row: Row) -> KeyRecord:
    """The record of a row of SELECT."""
    return record_of(KeyRecord, row)
