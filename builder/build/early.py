"""Files of the search that are written while other processes still render: those of the sections of pages."""

from __future__ import annotations

from builder.build.extras import search_file
from builder.build.layout import Layout
from builder.output import Left, Output
from builder.render import NOT_FOUND
from builder.search import Part, doc, pages_a_file


class Early:
    """Takes the parts of pages in their order, as long as none is missing.

    `left` has the files by output path, as they are left. Where all were written at the end, one process
    would write a file for each page while the others have nothing to do.
    """

    def __init__(self, output: Output, layout: Layout) -> None:
        self.left: dict[str, Left | None] = {}
        self._writer = output.writer if output.folder else None
        self._together = pages_a_file(_parts(layout))
        self._waiting: list[Part] = []

    def take(self, part: Part) -> None:
        """Take the part of the next page. Raises what the writer raises."""
        if self._writer is None:
            return
        self._waiting.append(part)
        if len(self._waiting) == self._together:
            _, (name, data) = doc(len(self.left), self._waiting)
            self._waiting = []
            path = search_file(name)
            self.left[path] = self._writer.write(path, data)

    def stop(self) -> None:
        """Take no more: of the next page nothing is known yet."""
        self._writer = None


def _parts(layout: Layout) -> int:
    """How many pages the search has."""
    return sum(page.path != NOT_FOUND for page in layout.site.pages) + len(layout.generated)
