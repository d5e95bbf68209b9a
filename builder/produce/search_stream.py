"""Begin the search's files while other processes still render.

The sections of pages are written, and those of each term gathered. At the end, one process would do it while
the others have nothing to do.
"""

from __future__ import annotations

from builder.output import Left, Output
from builder.plan.layout import Layout
from builder.plan.site_files import search_file
from builder.search import Begun, Gathering, Part, doc, pages_a_file, twins_of


class SearchStream:
    """Takes the parts of pages in their order, as long as none is missing, or once more all of them.

    `written` has the files by output path, as they are left; `script` is what cuts excerpts from twins.
    Of a site that `is_large` no more is gathered than its files will have. While `is_open` parts are taken.
    """

    def __init__(self, output: Output, layout: Layout, script: str, *, is_large: bool = False) -> None:
        self.written: dict[str, Left | None] = {}
        self._writer = output.writer
        self._has_folder = output.folder is not None
        self._together = pages_a_file(_parts(layout))
        self._script = script
        self._is_large = is_large
        self.begin()

    def begin(self) -> None:
        """Begin with the first part, whatever was taken."""
        self.is_open = self._has_folder
        self._waiting: list[Part] = []
        self._gathering = Gathering(prunes=self._is_large)
        self._docs: list[str] = []
        self._twins: list[str] = []
        self._taken = 0

    def take(self, part: Part) -> None:
        """Take the part of the next page. Raises what the writer raises."""
        if not self.is_open:
            return
        self._taken += 1
        self._gathering.add(part)
        self._waiting.append(part)
        if len(self._waiting) == self._together:
            self._write()

    def stop(self) -> None:
        """Take no more: of the next page nothing is known yet."""
        if self.is_open:
            self.is_open = False
            self._gathering = Gathering()

    def finish(self, parts: int) -> Begun | None:
        """Write what waits, and give all that is done; None unless it is that of so many parts.

        Raises what the writer raises.
        """
        if not self.is_open or self._taken != parts or self._together != pages_a_file(parts):
            return None
        if self._waiting:
            self._write()
        return Begun(self._gathering, tuple(self._docs), tuple(self._twins) if any(self._twins) else ())

    def _write(self) -> None:
        assert self._writer is not None  # noqa: S101 - nothing is taken without one
        digest, (name, data) = doc(len(self._docs), self._waiting)
        twin = "".join(twins_of(self._waiting, self._script)) if self._together == 1 else ""
        self._docs.append(digest)
        self._twins.append(twin)
        self._waiting = []
        if twin:
            return
        path = search_file(name)
        self.written[path] = self._writer.write(path, data)


def _parts(layout: Layout) -> int:
    """Count the pages of the search."""
    return sum(page.is_listed for page in layout.site.pages) + len(layout.generated)
