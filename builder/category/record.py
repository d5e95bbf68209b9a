"""The record of a folder, and the names of its category file, which `category/file.py` reads."""

from __future__ import annotations

from msgspec import Struct

FILES = ("_category_.yml", "_category_.yaml", "_category_.json")
"""The names of a category file; where there are several, the first one here counts."""
MAX_TEXT = 64 * 1024
"""Bytes that a category file may have, for those who read it and for those who write it."""


class CategoryRecord(Struct, frozen=True):
    """A folder's record; `path` is its content path, such as `docs/guide`.

    `variables` are for the pages below it.
    """

    path: str
    label: str | None = None
    position: int | float | None = None
    collapsed: bool | None = None
    variables: dict[str, str] = {}
