"""Write each page when it is rendered, and keep of it only what the end of the build needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from builder import paths
from builder.diagnostics import Diagnostic
from builder.output import Left, Output
from builder.output.sinks import Files
from builder.plan.anchor_check import PageLinks, links_of
from builder.plan.layout import HOME
from builder.produce.search_stream import SearchStream
from builder.render import RenderedPage
from builder.search import Begun, Part
from builder.site import SitePage
from builder.unicode import encoded


class PageResults:
    """Small facts of all pages, what they add to the search, and their twins for `llms-full.txt`.

    `files` counts what was written; `unchanged` are the paths of pages that were there: of these neither is
    known.
    Of those in `untold` the twin is not, as the cache has it: with `drops_twins` those that were written.
    """

    def __init__(self, output: Output, stream: SearchStream, *, drops_twins: bool = False) -> None:
        self.untold: list[str] = []
        self._drops_twins = drops_twins
        self.twins: dict[str, bytes] = {}
        self.links: list[PageLinks] = []
        self.twin_links: list[PageLinks] = []
        self.diagnostics: list[Diagnostic] = []
        self.files = 0
        self._output = output
        self._stream = stream
        self._html: dict[str, bytes] = {}
        self.search: dict[str, Part | None] = {}
        self.unchanged: list[str] = []

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Write and count one file."""
        self._output.write(path, data, key)
        self.files += 1

    def write_unnoted(self, path: str, data: bytes) -> Left | None:
        """Write one file in a process whose parent is to take note of it; gives how it is left."""
        assert self._output.writer is not None  # noqa: S101 - nothing is begun without one
        return self._output.writer.write(path, data)

    def note_written(self, path: str, left: Left | None, key: bytes) -> None:
        """Count one file that is written, and take note of how it is left."""
        self._output.note_written(path, key, left)
        self.files += 1

    def write_made(self, make: Callable[[], Files], key: bytes) -> None:
        """Write and count files that may be made later."""
        number = self._output.write_made(lambda: self._unwritten(make(), key), key)
        self.files += number  # while these were made, others may have been counted

    def page(self, page: RenderedPage, key: bytes = b"") -> None:
        """Take a page, and write it to all its places, unless it is there; `key` is that of its files."""
        content = page.content
        if self._drops_twins and page.written is not None:
            self.untold.append(page.path)
        else:
            self.twins[page.path] = encoded(content.twin)
        if page.written is None and page.html is None:
            self.unchanged.append(page.path)
            self.files += len(paths.outputs(page.path))
        else:
            self._place(page, key)
        self._take(page.path, content.search)
        self.diagnostics += content.diagnostics
        links, twin_links = links_of(page.file, page.path, content)
        self.links.append(links)
        if twin_links:
            self.twin_links.append(twin_links)

    def _take(self, path: str, part: Part | None) -> None:
        self.search[path] = part
        if self.unchanged:
            self._stream.stop()
        elif part is not None:
            self._stream.take(part)

    def has_all(self, key: bytes) -> bool:
        """Return whether all that an earlier build made of the whole site, with this key, is there still."""
        paths = self._output.under(key) if key else ()
        there = bool(paths) and all(self._output.has(path, key) for path in paths)
        self.files += len(paths) if there else 0
        return there

    def know_twins(self, twins: Iterable[tuple[str, bytes]]) -> None:
        """Take the twins of those pages that were `unchanged`, or are `untold`."""
        self.twins.update(twins)

    def _unwritten(self, files: Files, key: bytes) -> Files:
        """Those files that are not written yet; take note of the others."""
        for path, data in files:
            if path not in self._stream.written:
                yield path, data
                continue
            self.note_written(path, self._stream.written[path], key)

    def begun(self, parts: int, key: bytes) -> Begun | None:
        """Return the part of the search of so many pages that is done: take note of the files written."""
        begun = self._stream.begun(parts)
        for path, left in self._stream.written.items() if begun else ():
            self.note_written(path, left, key)
        return begun

    def stay(self, paths: Sequence[str], key: bytes) -> bool:
        """Let files be as an earlier build left them, and count them; False when one is not there."""
        there = all(self._output.stays(path, key) for path in paths)
        self.files += len(paths) if there else 0
        return there

    def home(self, page: SitePage, restore: Callable[[SitePage], bytes], key: bytes) -> None:
        """Let the page that is the home answer at `/` too; `restore` gives its HTML if it was there."""
        html, twin = self._html.get(page.path) or restore(page), self.twins[page.path]
        for path, data in zip(paths.outputs(HOME), (html, twin, twin), strict=True):
            self.write(path, data, key)

    def home_links(self, page: SitePage) -> None:
        """Let links lead to its places there, too."""
        own = next(each for each in self.links if each.path == page.path)
        self.links.append(replace(own, path=HOME, links=()))

    def _place(self, page: RenderedPage, key: bytes) -> None:
        """Write a page's files, or take note of those that are written."""
        if page.html is not None:
            self._html = self._html or {page.path: page.html}
        if page.written is None:
            for path, data in page.files():
                self.write(path, data, key)
            return
        for path, left in zip(paths.outputs(page.path), page.written, strict=True):
            self.note_written(path, left, key)
