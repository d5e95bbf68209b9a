"""A picture that is wanted, what it is made of, and what comes of it: values alone.

A layer below the browser, for those who ask for pictures and never take one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct

PHONES = 700
"""Pixels: narrower windows are those of phones."""
Scheme = Literal["light", "dark"]


class LoadedFile(Struct, frozen=True):
    """A file of the site as a browser gets it."""

    body: bytes
    type: str
    status: int = 200
    policy: str = ""


Load = Callable[[str], Awaitable[LoadedFile | None]]
"""Gives the file at a path, percent-encoded, with its query; None where there is none."""


class Shot(Struct, frozen=True):
    """The picture that is wanted: of the page at `path` (with the base path), so many pixels wide.

    `full` is all of the page, and `section` the part below the heading with this id; else it is the window.
    """

    path: str
    width: int
    scheme: Scheme
    full: bool = False
    section: str = ""

    @property
    def height(self) -> int:
        """The height of the window."""
        return 844 if self.width < PHONES else 800


class Picture(Struct, frozen=True):
    """A PNG. `page_height` is the height of the whole page, and `cut` says that more was wanted."""

    png: bytes
    width: int
    height: int
    page_height: int
    cut: bool
