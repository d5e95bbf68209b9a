"""Create tokens that a browser carries, and digest them: the database knows no token, only its digest."""

from __future__ import annotations

import hashlib
import re
import secrets

BYTES = 32
"""256 bits from the system's source of secrets (NIST SP 800-63B asks for at least 64)."""
_FORM = re.compile(r"[0-9A-Za-z_-]{43}")


def generate() -> str:
    """Return a new token in base64url, which needs no quoting in a cookie or an address."""
    return secrets.token_urlsafe(BYTES)


def is_token(text: str) -> bool:
    """Tell whether the text has the form of a token."""
    return _FORM.fullmatch(text) is not None


def digest(token: str) -> str:
    """Return the SHA-256 of a token as 64 hexadecimal digits."""
    return hashlib.sha256(token.encode("ascii")).hexdigest()
