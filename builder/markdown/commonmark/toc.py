"""An entry of a page's table of contents: known without what parses pages."""

from __future__ import annotations

from msgspec import Struct


class TocEntry(Struct, frozen=True, gc=False):
    """A heading, or a component that has its place in the table of contents. `label` is plain text."""

    level: int
    id: str
    label: str
