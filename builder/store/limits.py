"""Limits of size: of a page, and of any other file that the store reads whole."""

from __future__ import annotations

PAGE_LIMIT = 1024 * 1024
"""Bytes that a page, and its twin, may each have."""
FILE_LIMIT = 64 * 1024 * 1024
"""Bytes of a file that is taken into memory; larger ones are opened and copied piece by piece."""
