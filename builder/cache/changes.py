"""Collect what one build keeps for the next, as bytes on their way into the file of the cache."""

from __future__ import annotations

from msgspec import Struct, field

from builder.render import CachedPage


class Changes(Struct):
    """The changes of one build to the cache: pages to keep, pages that are `gone`, and `lost` folders.

    The text of a page's source comes with its mark, and that of the one before; a page with its key, and once
    more with the little that each build needs of it (KnownPage).

    `outputs` are what lies in folders, by these, and under INDEX the index of the search; `leaves` are files
    of that, those in `gone_leaves` are so no longer, and with `all_leaves` none but these are.
    """

    sources: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, tuple[bytes, bytes, bytes]] = field(default_factory=dict)
    pages: dict[str, tuple[bytes, CachedPage, bytes]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    outputs: dict[str, bytes] = field(default_factory=dict)
    leaves: dict[str, bytes] = field(default_factory=dict)
    gone_leaves: set[str] = field(default_factory=set)
    all_leaves: bool = False
