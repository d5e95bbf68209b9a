"""The part of previews that pages ask for: where a site's unpublished pages are shown."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from builder.paths import Format


class PreviewFailed(Exception):
    """A preview cannot be shown now; `says` is a sentence for whoever looks at it."""

    def __init__(self, status: int, says: str, retry_after: int = 0) -> None:
        super().__init__(says)
        self.status = status
        self.says = says
        self.retry_after = retry_after


class DraftText(Struct, frozen=True):
    """The text of a page as somebody types it, with its frontmatter."""

    path: str
    format: Format
    text: str


class DraftFinding(Struct, frozen=True):
    """A diagnostic, at its place in the text."""

    level: str
    code: str
    line: int
    column: int
    message: str
    hint: str


class DraftResult(Struct, frozen=True):
    """The outcome: the address at which the page is shown, "" where the text is none of a page."""

    address: str
    diagnostics: tuple[DraftFinding, ...]


class Previews(Protocol):
    """Previews of sites, each for one session and one site, both given by their ids."""

    @property
    def frame_source(self) -> str:
        """The addresses of all previews, as `frame-src` of a Content-Security-Policy has them."""

    def address(self, session: str, site: str) -> str:
        """Return the address of the site's preview, without a slash at its end; it lives 15 minutes from now.

        It stays the same as long as it is asked for again in time. Raises SessionEnded and SiteGone.
        """

    async def draft(self, session: str, site: str, draft: DraftText) -> DraftResult:
        """Render a page from a text that is not saved, to be looked at once.

        Raises SessionEnded, SiteGone, and PreviewFailed with a sentence for who has typed it.
        """
