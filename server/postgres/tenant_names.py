"""Names and passwords for the databases of tenants and their roles.

Names say nothing about their owner: every tenant of a server can read all of them in the catalog.
"""

from __future__ import annotations

import secrets
import string

PREFIX = "db_"
PATTERN = "^db_[a-z2-7]{16}$"
"""The names of ours, for PostgreSQL's operator `~` as well as for `re`."""

_OF_NAMES = string.ascii_lowercase + "234567"
_OF_PASSWORDS = string.ascii_letters + string.digits


def new_name() -> str:
    """A name for a database and its role, opaque and never used before: 80 bits of it are random."""
    return PREFIX + _random(_OF_NAMES, 16)


def new_password() -> str:
    """A password of 32 letters and digits, about 190 bits, which needs no quoting anywhere."""
    return _random(_OF_PASSWORDS, 32)


def _random(characters: str, length: int) -> str:
    return "".join(secrets.choice(characters) for _ in range(length))
