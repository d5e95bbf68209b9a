"""Secrets in texts that people or logs get: keys are cut down to their prefixes, passwords left out.

At the ground: what finds something wrong quotes pages, and what answers over HTTP knows no database of keys.
"""

from __future__ import annotations

import re

from builder.lazy_regex import lazy

REDACT = lazy(r"((?:dpk|svc(?:_|%5F)[a-z]+)(?:_|%5F))[0-9A-Z](?:[0-9A-Z_]|%5F)*", re.IGNORECASE)
"""Keys of every kind, also cut off, mistyped, percent-encoded, or one behind another's prefix; group 1 is the
prefix, no secret."""
_LOGIN = lazy(r"(://[^\s:/@`]*:)[^\s/@`]+@")
"""A name and its password in an address."""


def redacted(text: str) -> str:
    """The text with every key in it cut down to its prefix."""
    return REDACT.sub(r"\1...", text)


def without_secrets(text: str) -> str:
    """The same, without the passwords that addresses have."""
    return _LOGIN.sub(r"\1...@", redacted(text))


_READ = 4096
"""Characters of a text in which secrets are looked for; of a longer one only the beginning is told."""


def beginning(text: str, longest: int, more: str = "") -> str:
    """The first `longest` characters of a text, `more` at their end if they are not all.

    Secrets go before it is cut: half of one would be known by nobody.
    """
    if len(text) <= longest:
        return text
    clear = without_secrets(text[:_READ])
    return clear if len(clear) <= longest else clear[: longest - len(more)] + more
