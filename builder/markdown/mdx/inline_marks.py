"""Marks that the inline rules leave at their tokens: offsets in the paragraph's text, and faults."""

from __future__ import annotations

from msgspec import Struct

from builder.markdown.mdx.scan.tags import Tag
from components.base import Component
from components.nearest import Hint


class MarkFault(Struct, frozen=True):
    """A diagnostic at an offset of the paragraph's text."""

    at: int
    code: str
    message: str
    hint: Hint = ""


class Mark(Struct, frozen=True):
    """A construct that reaches from `start` to `end`.

    In the twin `shown` stands for it, for a component or what goes.

    `unpaired` is a tag of a premium component that has no other.
    """

    start: int
    end: int
    shown: str = ""
    faults: tuple[MarkFault, ...] = ()
    component: Component | None = None
    tag: Tag | None = None
    unpaired: bool = False
