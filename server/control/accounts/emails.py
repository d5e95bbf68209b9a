"""Check email addresses, and compare them."""

from __future__ import annotations

import re

from builder.redaction import redacted
from server.control.errors import InvalidEmail

LONGEST, LONGEST_LOCAL = 254, 64
# The rule of HTML for `<input type="email">`, so that a form and a command line take the same. It is ASCII
# alone: two addresses that look the same are the same.
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_ADDRESS = re.compile(rf"(?P<local>[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+)@{_LABEL}(?:\.{_LABEL})*")

_ENCODED = "=?"
"""Begins a word that programs for mail decode (RFC 2047): the mail would go to another address than this."""


def check_email(text: str) -> str:
    """The address without the spaces around it. Raises InvalidEmail."""
    email = text.strip()
    form = _ADDRESS.fullmatch(email) if len(email) <= LONGEST and _ENCODED not in email else None
    if form is None or len(form["local"]) > LONGEST_LOCAL:
        shown = redacted(email[: LONGEST + 1])
        raise InvalidEmail(f"`{shown}` is no email address", hint="write it like somebody@example.com")
    return email


def folded(email: str) -> str:
    """The address as it is compared: no provider tells `Me@example.com` from `me@Example.com`."""
    # What is not ASCII is no address that there is, and becomes none.
    return email.strip().lower().encode("ascii", "backslashreplace").decode("ascii")
