"""A fenced block as HTML: the value alone, for those who keep what others have rendered."""

from __future__ import annotations

from msgspec import Struct


class Fence(Struct, frozen=True):
    """A block as HTML, complete and safe. `over_budget`: it is shown plain because it is too long."""

    html: str
    title: str = ""
    language: str = ""
    over_budget: bool = False
