"""Keys in texts that people or logs get are cut down to their prefixes.

At the ground of the server: what answers over HTTP needs it without the database of keys.
"""

from __future__ import annotations

import re

REDACT = re.compile(r"((?:dpk|svc(?:_|%5F)[a-z]+)(?:_|%5F))[0-9A-Z](?:[0-9A-Z_]|%5F)*", re.IGNORECASE)
"""Keys of every kind, also cut off, mistyped, percent-encoded, or one behind another's prefix; group 1 is the
prefix, no secret."""


def redacted(text: str) -> str:
    """The text with every key in it cut down to its prefix."""
    return REDACT.sub(r"\1...", text)
