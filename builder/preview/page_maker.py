"""Make pages for the preview in its thread, or in a process that can be ended (see `process_renderer`)."""

from __future__ import annotations

from typing import Protocol

from builder.markdown.context import Context
from builder.render import PageContent, Templates
from builder.render.render_page import make
from builder.site import SitePage


class Unfinished(Exception):
    """The page takes longer than most; it is being made, and is there when it is asked for again later."""


class TooLong(Exception):
    """The page took longer than `seconds`, and was given up."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"longer than {seconds:g} s")
        self.seconds = seconds


class Lost(Exception):
    """The process that made the page ended by itself, again and again."""


class Maker(Protocol):
    """Makes pages. A page is the same for as long as its source and the `key` of what is around it are."""

    @property
    def templates(self) -> Templates | None:
        """The renderer of the site's own templates, raising as `make` does; None: done at once."""

    def expect(self, context: Context) -> None:
        """Get ready for pages that are made with this context."""

    def make(self, page: SitePage, context: Context, key: bytes) -> PageContent:
        """Make a page's content of its source. Raises Unfinished, TooLong and Lost."""


class OwnThread:
    """Makes a page at once, however long that takes."""

    templates = None

    def expect(self, context: Context) -> None:
        """Do nothing: what pages are made with is at hand."""

    def make(self, page: SitePage, context: Context, key: bytes) -> PageContent:
        """Make a page's content of its source."""
        return make(page, context)
