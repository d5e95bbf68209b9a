"""The work on one page: its text, and the site that it belongs to; each system rewrites pages through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from builder.importer.address_book import AddressBook
from builder.importer.old_site import Loss, OldPage, OldSite, System
from builder.importer.origin import Origin
from builder.importer.pieces import SourceText
from builder.importer.placing import PlacedPage
from builder.importer.rewriting import Rewriting
from builder.importer.source_links import source_links


class Choices(Struct, frozen=True):
    """What the caller chose: languages and versions by name, ("all",) for all, () for the site's default."""

    versions: tuple[str, ...] = ()
    locales: tuple[str, ...] = ()
    url: str = ""


class PageWork(Struct):
    """A page that is rewritten. Without `book` it is not known yet where anything is.

    `needs_mdx` says that the new text holds more than plain markdown.
    """

    site: OldSite
    page: OldPage
    rewriting: Rewriting
    placed: PlacedPage | None = None
    book: AddressBook | None = None
    needs_mdx: bool = False

    @staticmethod
    def of(site: OldSite, page: OldPage) -> PageWork:
        """Begin the work on a page."""
        source = SourceText.of(page.body, is_mdx=page.is_mdx)
        return PageWork(site, page, Rewriting(page.file, source, page.first_line))

    def href(self, href: str, at: int) -> str:
        """Return a destination as the new page names it; one that leads nowhere stays, and is told."""
        if self.book is None or self.placed is None:
            return href
        found = self.book.link(self.placed, href)
        if found is None:
            if not self.book.is_redirected(self.page, href):
                self.rewriting.tell("link that leads nowhere", at, href, state="lost")
            return href
        return found

    def rewrite_links(self) -> None:
        """Write those links of the page anew that would not lead on as they are."""
        for link in source_links(self.rewriting.source):
            now = self.href(link.href, link.start)
            if now != link.href:
                self.rewriting.replace(link.start, link.end, link.written(now))


class SystemRules(Protocol):
    """The reader of one system: finds its configuration, reads a site, and rewrites pages."""

    system: System

    def finds(self, origin: Origin) -> bool:
        """Return whether the folder has the configuration of the system."""

    def read(self, origin: Origin, choices: Choices) -> OldSite:
        """Read the site. Raises NoOrigin where its configuration cannot be read."""

    def rewrite(self, work: PageWork) -> None:
        """Rewrite what the system writes otherwise, but for links of markdown."""


Report = Callable[[Loss], None]
