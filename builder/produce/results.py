"""Write each page when it is rendered, and keep of it only what the end of the build needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from builder import paths
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.output import Left, Output
from builder.plan.anchor_check import links_of
from builder.plan.layout import HOME
from builder.plan.packed_links import PackedLinks
from builder.produce.search_stream import SearchStream
from builder.render import RenderedPage, StandingPage
from builder.search import Begun, Part
from builder.site import SitePage
from builder.unicode import encoded


class PageResults:
    """Small facts of all pages, what they add to the search, and their twins for `llms-full.txt`.

    `files` counts what was written and what could stay. `unchanged` are the paths of pages that were there,
    whose twins and parts of the search are not known. Of a site that `is_large` neither is kept here of what
    the cache has. `home_html` is the HTML of the page `home`, where it was rendered.
    """

    def __init__(
        self,
        output: Output,
        stream: SearchStream,
        home: SitePage | None = None,
        *,
        is_large: bool = False,
    ) -> None:
        self.is_large = is_large
        self.twins: dict[str, bytes] = {}
        self.links, self.twin_links = PackedLinks(), PackedLinks()
        self.diagnostics: list[Diagnostic] = []
        self.files = 0
        self._output = output
        self._stream = stream
        self._home = home
        self.home_html: bytes | None = None
        self.search: dict[str, Part | None] = {}
        self.unchanged: list[str] = []

    @property
    def are_kept(self) -> bool:
        """True unless everything is forgotten that is written: then it need not be made."""
        return self._output.keeps

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Write and count one file."""
        self._output.write(path, data, key)
        self.files += 1

    def write_unnoted(self, path: str, data: bytes) -> Left | None:
        """Write one file in a process whose parent is to take note of it; gives how it is left."""
        assert self._output.writer is not None  # noqa: S101 - nothing is begun without one
        return self._output.writer.write(path, data)

    def note_written(self, path: str, key: bytes, left: Left | None) -> None:
        """Count one file that is written, and take note of how it is left."""
        self._output.note_written(path, key, left)
        self.files += 1

    def write_search(self, files: Iterable[tuple[str, bytes]], key: bytes) -> None:
        """Write and count files of the search, but for those that were written while pages were rendered."""
        for path, data in files:
            if path in self._stream.written:
                self.note_written(path, key, self._stream.written[path])
            else:
                self.write(path, data, key)

    def page(self, page: RenderedPage, key: bytes = b"", *, is_kept: bool = False) -> None:
        """Take a page, and write it to all its places; `key` is that of its files.

        `is_kept` says that the cache has it.
        """
        content = page.content
        self._place(page, key)
        self._take(page, is_kept=is_kept)
        self.diagnostics += content.diagnostics
        links, twin_links = links_of(page.file, page.path, content.body, content.twin_links)
        self.links.append(links)
        if twin_links:
            self.twin_links.append(twin_links)

    def standing(self, page: StandingPage) -> None:
        """Take a page whose files are there."""
        known = page.known
        self.unchanged.append(page.path)
        self.files += len(paths.outputs(page.path)) + len(known.brought)
        self._stream.stop()
        self.search[page.path] = None
        self.diagnostics += known.diagnostics
        self.links.append_packed(page.file, page.path, known.anchors)
        if known.twin_anchors:
            file, anchors = known.twin_anchors
            self.twin_links.append_packed(file, page.path, anchors)

    def _take(self, page: RenderedPage, *, is_kept: bool) -> None:
        """Keep of a page what is needed of it once more, and have it told by the search."""
        part = page.content.search
        if self.unchanged:
            self._stream.stop()
        elif part is not None:
            self._stream.take(part)
        is_left_out = self.is_large and is_kept
        if not is_left_out:
            self.twins[page.path] = encoded(page.content.twin)
        self.search[page.path] = None if is_left_out else part

    def stay_all(self, key: bytes) -> bool:
        """Let all that an earlier build wrote under this key be as it is; False when not all is there."""
        paths = self._output.under(key) if key else ()
        there = bool(paths) and self._output.has_all(paths, key)
        self.files += len(paths) if there else 0
        return there

    def finish_stream(self, parts: int, key: bytes) -> Begun | None:
        """Finish what was begun of the search while pages were rendered, if it is that of so many pages."""
        begun = self._stream.finish(parts)
        for path, left in self._stream.written.items() if begun else ():
            self.note_written(path, key, left)
        return begun

    def stream_anew(self, parts: Iterable[Part]) -> None:
        """Begin the search once more, with the parts of all pages in their order."""
        self._stream.begin()
        for part in parts:
            self._stream.take(part)

    def content_before(self, path: str) -> bytes:
        """Return a digest of the bytes that an earlier build has left at a path, empty without one."""
        entry = self._output.ledger.before(path)
        return entry.left.content if entry else b""

    def stay(self, paths: Sequence[str], key: bytes) -> bool:
        """Let files be as an earlier build left them, and count them; False when one is not there."""
        there = all(self._output.stays(path, key) for path in paths)
        self.files += len(paths) if there else 0
        return there

    def home(self, html: bytes, twin: bytes, key: bytes) -> None:
        """Let the page that is the home, and has this HTML and this twin, answer at `/` too."""
        for path, data in zip(paths.outputs(HOME), (html, twin, twin), strict=True):
            self.write(path, data, key)

    def home_links(self, page: SitePage) -> None:
        """Let links lead to its places there, too."""
        self.links.append(replace(self.links.of(page.path), path=HOME, links=()))

    def _place(self, page: RenderedPage, key: bytes) -> None:
        """Write a page's files, or take note of those that are written."""
        if self._home is not None and page.path == self._home.path:
            self.home_html = page.html
        brought = page.content.body.brought
        keys = [*(key for _ in page.outputs), *map(brought_key, brought)]
        if page.written is None:
            for (path, data), its_key in zip(page.files(), keys, strict=True):
                self.write(path, data, its_key)
            return
        written = zip((*page.outputs, *brought), keys, page.written, strict=True)
        for path, its_key, left in written:
            self.note_written(path, its_key, left)


def brought_key(path: str) -> bytes:
    """Return the key of a file that pages bring, whose name tells its content: the same for all of them."""
    return digest("brought", path)
