"""What a database may be called by its owner; on the server it has an opaque name."""

from __future__ import annotations

import re

from server.hosting.errors import InvalidName

PATTERN = r"^[A-Za-z][A-Za-z0-9_-]{0,62}$"
"""At most as long as PostgreSQL's own names, and in need of quoting nowhere."""
_FORM = re.compile(PATTERN)


def check_name(name: str) -> None:
    """Raise InvalidName unless an owner may call a database so."""
    if not _FORM.fullmatch(name):
        shown = name if len(name) <= 63 and name.isprintable() else "the name"
        raise InvalidName(
            f"`{shown}` cannot be a database's name",
            hint="1 to 63 letters (a-z), digits, `-` and `_`, beginning with a letter",
        )


def folded(name: str) -> str:
    """The name as it is compared with others."""
    return name.lower()
