"""A page as it is rendered: what its source gives, the same as bytes, and with the page around it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from builder import paths
from builder.diagnostics import Diagnostic
from builder.markdown.page import Body
from builder.output import Left
from builder.render.dependencies import Asked
from builder.render.known_page import KnownPage
from builder.render.twin_links import TwinLinks
from builder.search import Part
from builder.unicode import encoded


class RenderedText(Struct, frozen=True):
    """The rendered text of a page and the links of its hand-written twin, and what is wrong with both."""

    body: Body
    diagnostics: tuple[Diagnostic, ...] = ()
    twin_links: TwinLinks | None = None

    @property
    def targets(self) -> frozenset[str]:
        """The content paths of all pages that the page and its hand-written twin have links to."""
        return self.body.targets | self.twin_links.targets if self.twin_links else self.body.targets


class PageContent(Struct, frozen=True):
    """All that a page's own source gives, whatever stands around it, and what it asked of the site for that.

    `twin` is written as it is; that of `body` is left out, as it says the same.
    """

    body: Body
    twin: str
    diagnostics: tuple[Diagnostic, ...] = ()
    twin_links: TwinLinks | None = None
    search: Part | None = None
    asked: Asked | None = None


class CachedPage(Struct, frozen=True):
    """The content of a page as bytes, in which it is kept and travels between processes."""

    facts: bytes
    body: bytes
    twin: bytes
    search: bytes


class StandingPage(Struct, frozen=True, gc=False):
    """A page whose files are there, as an earlier build has left them, and what is known of it."""

    path: str
    file: str
    known: KnownPage


class RenderedPage(Struct, frozen=True):
    """A page of the build, and its place. `html` is None when its files are there, and nobody wants it more.

    `written` are its files as they are left, in their order, when this build has written them. `packed` is
    the content once more, when that was packed on its way. `pointer` is the line that its twin begins with
    where that is published: it is no part of the content.
    """

    path: str
    file: str
    place: str
    content: PageContent
    html: bytes | None = None
    written: tuple[Left | None, ...] | None = None
    packed: CachedPage | None = None
    pointer: str = ""

    @property
    def outputs(self) -> tuple[str, ...]:
        """The output paths of its HTML, and of both places of its twin."""
        return paths.outputs(self.path, self.place)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """The files of the page by their output paths, and those that it brings; none when they are there."""
        yield from self.own_files()
        if self.html is not None:
            yield from self.content.body.files().items()

    def twin_file(self) -> bytes:
        """The twin as it is published."""
        return encoded(self.pointer + self.content.twin)

    def own_files(self) -> Iterator[tuple[str, bytes]]:
        """The page itself, and its twin."""
        if self.html is not None:
            twin = self.twin_file()
            yield from zip(self.outputs, (self.html, twin, twin), strict=False)
