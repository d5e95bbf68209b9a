"""Write each page when it is rendered, and keep of it only what the end of the build needs."""

from __future__ import annotations

import dataclasses

from builder.build.anchors import PageLinks
from builder.build.layout import HOME, page_outputs
from builder.diagnostics import Diagnostic
from builder.output import Output
from builder.render import Rendered
from builder.search import Part
from builder.site import SitePage


class Kept:
    """Small facts of all pages, what they add to the search, and their twins for `llms-full.txt`.

    `files` counts what was written.
    """

    def __init__(self, output: Output) -> None:
        self.twins: dict[str, bytes] = {}
        self.colors: list[str] = []
        self.links: list[PageLinks] = []
        self.twin_links: list[PageLinks] = []
        self.diagnostics: list[Diagnostic] = []
        self.search: list[Part] = []
        self.files = 0
        self._output = output
        self._html: dict[str, bytes] = {}

    def write(self, path: str, data: bytes) -> None:
        """Write and count one file."""
        self._output.write(path, data)
        self.files += 1

    def page(self, rendered: Rendered) -> None:
        """Write a page to all its places."""
        made, body = rendered.made, rendered.made.body
        machine = made.twin.encode("utf-8", "replace")
        self._place(rendered.path, rendered.html, machine)
        if not self._html:
            self._html[rendered.path] = rendered.html
        self.twins[rendered.path] = machine
        self.colors += body.colors
        self.diagnostics += made.diagnostics
        if made.search:
            self.search.append(made.search)
        self.links.append(PageLinks(rendered.file, rendered.path, body.ids, body.links))
        if twin := made.twin_links:
            self.twin_links.append(PageLinks(twin.file, rendered.path, twin.ids, twin.links))

    def home(self, page: SitePage | None) -> None:
        """Let the first page that was rendered answer at `/` too, when it is the site's home."""
        if page is not None:
            self._place(HOME, self._html[page.path], self.twins[page.path])
            own = next(each for each in self.links if each.path == page.path)
            self.links.append(dataclasses.replace(own, path=HOME, links=()))

    def _place(self, path: str, html: bytes, twin: bytes) -> None:
        for place, data in zip(page_outputs(path), (html, twin, twin), strict=False):
            self.write(place, data)
