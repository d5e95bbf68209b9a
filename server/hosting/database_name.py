"""The name that an owner gives a database; on the server it has an opaque name."""

from __future__ import annotations

import re

from server.hosting.errors import InvalidName
from server.postgres.tenant_names import PATTERN as OF_IDS

PATTERN = r"^(?![Dd][Bb]_[A-Za-z2-7]{16}$)[A-Za-z][A-Za-z0-9_-]{0,62}$"
"""At most as long as PostgreSQL's own names, in need of quoting nowhere, and of the form of no id.

By an id, messages and commands mean the database that has it, which may be another account's.
"""
_FORM = re.compile(PATTERN)
_RULE = "1 to 63 letters (a-z), digits, `-` and `_`, beginning with a letter"
_LIKE_AN_ID = "it looks like the id of a database, and messages would seem to speak of that one"


def check_name(name: str) -> None:
    """Raise InvalidName unless an owner may call a database so."""
    if not _FORM.fullmatch(name):
        shown = name if len(name) <= 63 and name.isprintable() else "the name"
        raise InvalidName(
            f"`{shown}` cannot be a database's name",
            hint=_LIKE_AN_ID if re.fullmatch(OF_IDS, folded(name)) else _RULE,
        )


def folded(name: str) -> str:
    """The name as it is compared with others."""
    return name.lower()
