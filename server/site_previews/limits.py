"""Limits of the processes that show sites."""

from __future__ import annotations

from msgspec import Struct

from server.control.plans import MIB


class PreviewLimits(Struct, frozen=True):
    """`workers` is how many sites are shown at once; one that nobody looks at ends after `idle_seconds`.

    Each may take `memory` bytes of address space, `first_seconds` to read its site or to make all of its
    pages, and `page_seconds` for anything else.
    """

    workers: int = 8
    idle_seconds: float = 60.0
    memory: int = 1024 * MIB
    page_seconds: float = 10.0
    first_seconds: float = 60.0
