"""The work on one page: its text, and the site that it belongs to; each system rewrites pages through it."""

from __future__ import annotations

import posixpath
import re
from typing import Protocol
from urllib.parse import quote

from msgspec import Struct, field

from builder.importer.address_book import AddressBook
from builder.importer.component_stubs import ComponentUses
from builder.importer.literals import Module
from builder.importer.old_site import OldPage, OldSite, System
from builder.importer.pieces import SourceText
from builder.importer.placing import PlacedPage, content_path
from builder.importer.rewriting import Rewriting
from builder.importer.source_links import parts_of, source_links
from builder.importer.source_tree import SourceTree
from builder.links.urls import safe

_ALIAS = re.compile(r"(?:@site|pathname://|~@?)/")
"""Names for the root of a site's files, as bundlers know them."""


class Choices(Struct, frozen=True):
    """The choices of the caller: languages and versions by name, or ("all",); () for the site's own."""

    versions: tuple[str, ...] = ()
    locales: tuple[str, ...] = ()
    url: str = ""


class ImportContext(Struct):
    """The old site and what its pages share. Without `book` it is not known yet where anything is.

    `parts` are the files that pages include, each with its place in the new site; `uses` are the components
    that nobody has a rule for; `modules` the programs that pages import, as far as they are data. `elsewhere`
    are paths of the host that links lead to, out of the site; `given` the names of the values that pages give
    to a part. `included_left` is how many characters pages may still include.
    """

    origin: SourceTree
    site: OldSite
    book: AddressBook | None = None
    parts: dict[str, str] = field(default_factory=dict)
    uses: ComponentUses = field(default_factory=ComponentUses)
    modules: dict[str, Module] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)
    given: dict[str, set[str]] = field(default_factory=dict)
    included_left: int = 32 * 1024 * 1024


class PageWork(Struct):
    """A page that is rewritten. `needs_mdx` says that the new text holds more than plain markdown."""

    around: ImportContext
    page: OldPage
    rewriting: Rewriting
    placed: PlacedPage | None = None
    needs_mdx: bool = False

    @staticmethod
    def of(around: ImportContext, page: OldPage, placed: PlacedPage | None = None) -> PageWork:
        """Begin the work on a page."""
        source = SourceText.of(page.body, is_mdx=page.is_mdx)
        return PageWork(around, page, Rewriting(page.file, source, page.first_line, page.lines), placed)

    def href(self, href: str, at: int) -> str:
        """Return a destination as the new page names it; one that leads nowhere stays, and is told."""
        book = self.around.book
        if book is None or self.placed is None or "%{" in href:
            return href
        href = f"/{href[alias.end() :]}" if (alias := _ALIAS.match(href)) else href
        if safe(href) is None:
            self.rewriting.tell("link that pages may not have", at, href)
        outside = self._outside(book, href, at)
        found = outside or book.link(self.placed, href) or self._beside(book, href, at)
        if found is None:
            if not book.is_redirected(self.page, href):
                self.rewriting.tell("link that leads nowhere", at, href, state="lost")
            return href
        return found

    def _outside(self, book: AddressBook, href: str, at: int) -> str | None:
        """Return where a relative link out of the site leads, None for one that stays within."""
        path, rest = parts_of(href)
        address = book.outside(self.page, path) if self.around.site.has_neighbours else None
        if address is None or book.at(address) is not None:
            return None
        return self._elsewhere(book, re.sub(r"\.md$", ".html", address), rest, href, at)

    def _beside(self, book: AddressBook, href: str, at: int) -> str | None:
        """Return where a link from the root leads that is not below the addresses of the site."""
        path, rest = parts_of(href)
        bases = self.around.site.bases
        if not bases or not re.match(r"/[^/]", path) or book.is_redirected(self.page, path):
            return None
        if any(f"{path}/".startswith(f"{base.rstrip('/')}/") for base in bases):
            return None
        return self._elsewhere(book, path, rest, href, at)

    def _elsewhere(self, book: AddressBook, address: str, rest: str, href: str, at: int) -> str:
        self.around.elsewhere.add(quote(book.free_prefix(address)))
        self.rewriting.tell("link out of the site", at, href, f"{address}{rest}", state="changed")
        return f"{quote(address)}{rest}"

    def part(self, file: str) -> str:
        """Return how this page names a file that it includes, which becomes a part of the new site."""
        self.needs_mdx = True
        self.rewriting.extras.add("includes")
        place = self.around.parts.setdefault(file, _part_place(file, self.around))
        here = posixpath.dirname(self.placed.path) if self.placed is not None else ""
        found = posixpath.relpath(place, here or ".")
        return found if found.startswith("../") else f"./{found}"

    def rewrite_links(self) -> None:
        """Write those links of the page anew that would not lead on as they are."""
        for link in source_links(self.rewriting.source):
            now = self.href(link.href, link.start)
            if now != link.href:
                self.rewriting.replace(link.start, link.end, link.written(now))


def _part_place(file: str, around: ImportContext) -> str:
    """Return a free place for a part: its file's, with a line in front of the name."""
    folder, name = posixpath.split(file)
    base = next((root for root in around.site.roots if root and f"{file}/".startswith(f"{root}/")), "")
    stem = content_path(posixpath.splitext(name)[0].lstrip("_")).removeprefix("docs/")
    inner = posixpath.relpath(folder, base) if base else folder
    path = content_path(f"{inner}/{stem}" if inner not in {"", "."} and not inner.startswith("..") else stem)
    place, number = f"{posixpath.dirname(path)}/_{posixpath.basename(path)}.mdx", 1
    while place in around.parts.values():
        number += 1
        place = f"{posixpath.dirname(path)}/_{posixpath.basename(path)}-{number}.mdx"
    return place


class SystemRules(Protocol):
    """The reader of one system: finds its configuration, reads a site, and rewrites pages."""

    @property
    def system(self) -> System:
        """The name of the system."""

    def finds(self, origin: SourceTree) -> bool:
        """Return whether the folder has the configuration of the system."""

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the site. Raises NoSource where its configuration cannot be read."""

    def rewrite(self, work: PageWork) -> None:
        """Rewrite what the system writes otherwise, but for links of markdown."""
