"""The result of rendering a page."""

from __future__ import annotations

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.markdown.page import Body
from builder.render.dependencies import Asked
from builder.render.twin_links import TwinLinks
from builder.search import Part


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


class Rendered(Struct, frozen=True):
    """A page's results: `html`, None when it is there already, and what it is made of."""

    path: str
    file: str
    html: bytes | None
    made: PageContent
