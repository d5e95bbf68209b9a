"""The words between the service and a process that shows a site."""

from __future__ import annotations

from msgspec import Struct

from server.control.plans import PlanName

DRAFT = "draft"
"""The parameter of an address that names a text that is not saved, and the path that takes such a text."""
BROKEN = "X-Preview-Broken"
"""The header of an answer behind which the process can show nothing any more."""


class WorkerOrder(Struct, frozen=True):
    """The first line that the process reads: the folder of its site, and what it may use.

    `socket` is the descriptor at which it listens. It ends by itself where it takes longer than
    `first_seconds` to read the site or to make all of its pages, or than `page_seconds` for anything else.
    """

    root: str
    plan: PlanName
    socket: int
    memory: int
    page_seconds: float
    first_seconds: float
