"""A tenant of the server: what it may use, and what the server knows of it. Data only.

A tenant is a database and a role of the same name. The role owns the schema `public` of its database and what
it makes there, not the database itself.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.postgres.tenants.ending_sessions import Session

INVALID = -2
"""The limit of connections of a database whose removal was interrupted: it can only be dropped."""


class TenantState(Struct, frozen=True):
    """The state of the server under one name of ours. A limit is -1 when there is none or nothing to limit.

    `read_only` is whether its sessions begin so (`set_full`). `database_limit` may be INVALID.
    """

    name: str
    database: bool
    role: bool
    login: bool
    role_limit: int
    database_limit: int
    read_only: bool


class Present(Struct, frozen=True):
    """A session that is there; `busy` is for how many seconds it has been at what it does now."""

    name: str
    process: int
    busy: float


class AskedToEnd(Struct, frozen=True):
    """A session of a tenant that was asked to end, and for what; `seconds` is how long that had lasted."""

    session: Session
    why: Literal[
        "statement",
        "idle in transaction",
        "transaction",
        "locks",
        "notifications",
        "age",
        "groups",
        "temporary files",
    ]
    seconds: float

    @property
    def name(self) -> str:
        """The tenant."""
        return self.session.name

    @property
    def process(self) -> int:
        """The number of the session's process."""
        return self.session.process
