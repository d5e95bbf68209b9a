"""A tenant of the server: what it may use, and what the server knows of it. Data only.

A tenant is a database and a role of the same name. The role owns the schema `public` of its database and what
it makes there, not the database itself.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.postgres.tenants.endings import Session

EXTENSIONS = (
    "btree_gin",
    "btree_gist",
    "citext",
    "cube",
    "dict_int",
    "fuzzystrmatch",
    "hstore",
    "intarray",
    "isn",
    "ltree",
    "pg_trgm",
    "pgcrypto",
    "plpgsql",
    "seg",
    "tablefunc",
    "tsm_system_rows",
    "tsm_system_time",
    "unaccent",
    "uuid-ossp",
)
"""What tenants may install: trusted by PostgreSQL, and without languages, connections or files."""

HARMLESS = ("lo", "tcn")
"""What PostgreSQL's own packages mark as trusted beside that: a trigger each, which most have no use for."""

HARD = ("temp_file_limit", "log_min_messages", "log_min_error_statement")
"""Settings that no tenant may change for itself, and for which the administrator needs a right of its own.
A tenant could fill the disk otherwise: by sorting, or by messages, which would all go to the server's log."""


class TenantSettings(Struct, frozen=True, kw_only=True):
    """What holds for every tenant of a server.

    `statement_seconds` and `idle_in_transaction_seconds` are what a session begins with; a tenant may lift
    them for itself. The reaper ends what is longer than `longest_...`, and who holds more than `most_locks`
    in all its sessions; and who keeps rows of `most_transactions` others ago, or groups of lockers of
    `most_multixacts` ago; and the oldest transaction while the queue of notifications is fuller than
    `most_notifications` (1 is full). `temp_file_bytes` is for each session, and holds where the administrator
    may set it.
    """

    statement_seconds: int = 60
    longest_statement_seconds: int = 300
    idle_in_transaction_seconds: int = 300
    longest_idle_seconds: int = 600
    longest_transaction_seconds: int = 3600
    most_locks: int = 5000
    most_transactions: int = 500_000_000
    most_multixacts: int = 50_000_000
    most_notifications: float = 0.5
    temp_file_bytes: int = 256 * 1024 * 1024
    extensions: tuple[str, ...] = EXTENSIONS


DEFAULTS = TenantSettings()


INVALID = -2
"""The limit of connections of a database whose removal was interrupted: it can only be dropped."""


class TenantState(Struct, frozen=True):
    """What the server has under one name of ours. A limit is -1 when there is none or nothing to limit.

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


class Reaped(Struct, frozen=True):
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
