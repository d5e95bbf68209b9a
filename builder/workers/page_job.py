"""Jobs with a page, which a process does.

Apart from `page_worker` for the time it takes to load what renders: a build may have nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import overload

from msgspec import Struct

from builder.code.rendered_fence import Fence
from builder.diagrams import Diagram
from builder.render import PageContent
from builder.site import SitePage


class Job(Struct, frozen=True):
    """A page to render; only its frame, when its content is known. `whole`: its HTML is wanted.

    `code` are blocks of code that it had before, and `diagrams` what was drawn of it.
    """

    page: SitePage
    content: PageContent | None = None
    whole: bool = False
    code: Mapping[bytes, Fence] = {}
    diagrams: Mapping[bytes, Diagram] = {}


class Jobs(Sequence[Job]):
    """The jobs of a build, each of which `made` gives when it is asked for: all would fill the memory."""

    def __init__(self, number: int, made: Callable[[int], Job]) -> None:
        self._numbers = range(number)
        self._made = made

    def __len__(self) -> int:
        """Return their number."""
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Job: ...
    @overload
    def __getitem__(self, index: slice) -> list[Job]: ...
    def __getitem__(self, index: int | slice) -> Job | list[Job]:
        """Return one of them, or several."""
        found = self._numbers[index]
        return self._made(found) if isinstance(found, int) else [*map(self._made, found)]
