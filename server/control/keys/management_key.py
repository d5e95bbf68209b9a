"""One key to the databases of an account: its record and its row, never the key itself."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from builder import redaction
from server.control.errors import KeyNotFound
from server.control.sqlite.database import ControlDatabase, Row, Transaction, record_of
from server.struct_types import prepare


class ManagementKey(Struct, frozen=True):
    """A key to the databases of an account. Times are whole seconds since 1970, UTC."""

    id: str
    account: str
    last_four: str
    label: str
    """What its owner calls it, "" when that is nothing."""
    created_at: int
    rotated_at: int | None
    """When it got its present value; None when that is its first."""
    last_used_at: int | None
    """When it was last used, give or take a minute, whichever value it had then; None when it never was."""
    disabled: bool
    """Whether its owner has disabled it."""
    suspended: bool = False
    """Whether its account is suspended, which disables all keys of the account."""

    @property
    def state(self) -> Literal["active", "disabled"]:
        """The state of the key. One that its owner has disabled is so still when a suspension ends."""
        return "disabled" if self.disabled or self.suspended else "active"


prepare(ManagementKey)
_FIELDS = ManagementKey.__struct_fields__
_OWN = tuple(name for name in _FIELDS if name != "suspended")

SELECT = f"""
    SELECT {", ".join(f"management_keys.{name}" for name in _OWN)}, accounts.suspended
    FROM management_keys JOIN accounts ON accounts.id = management_keys.account
"""  # noqa: S608 - constants alone
INSERT = """
    INSERT INTO management_keys (id, account, digest, last_four, label, created_at) VALUES (?, ?, ?, ?, ?, ?)
"""


def to_key(row: Row) -> ManagementKey:
    """The record of a row of SELECT."""
    return record_of(ManagementKey, row)


def get(reader: Transaction | ControlDatabase, key: str) -> ManagementKey:
    """The key with this id. Raises KeyNotFound."""
    # Other texts cannot even be asked for: a command line may hold bytes that are no text.
    rows = reader.read(f"{SELECT} WHERE management_keys.id = ?", (key,)) if key.isascii() else []
    if not rows:
        shown = redaction.redacted(key)
        raise KeyNotFound(f"there is no key with the id `{shown}`", hint="look it up in the list of keys")
    return to_key(rows[0])
