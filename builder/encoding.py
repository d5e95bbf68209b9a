"""Encode text as the bytes of a file."""

from __future__ import annotations


def encoded(text: str) -> bytes:
    """UTF-8, whatever the text was read from: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace")
