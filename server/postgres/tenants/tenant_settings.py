"""Limits and settings that hold for every tenant of a server: times, locks, transactions, extensions."""

from __future__ import annotations

from msgspec import Struct

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
    """The settings that hold for every tenant of a server.

    `statement_seconds` and `idle_in_transaction_seconds` are what a session begins with; a tenant may lift
    them for itself. What is longer than `longest_...` is ended, and who holds more than `most_locks`
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
