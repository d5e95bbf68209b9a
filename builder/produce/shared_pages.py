"""Pages on their way from and to the cache that machines share, with the HTML that they are published as.

A page whose files key is the same is put into the output as another machine has written it: neither its text
is read nor its frame made. One whose files key is another, as the sidebar has changed, gets a frame here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from builder.cache import Cache
from builder.cache.entries import Facts, content_of
from builder.output import Left, Output
from builder.output.written_files import content_digest
from builder.render import PageContent, RenderedPage
from builder.site import SitePage
from builder.workers.page_files import write_files

if TYPE_CHECKING:
    from builder.cache.packs import SharedPage
    from builder.cache.shared_cache import BothKeys


class PlacedPage(Struct, frozen=True):
    """The files of a page as they are left; and its HTML, where that is wanted once more."""

    written: tuple[Left | None, ...]
    html: bytes | None = None


class PlacedPages(Struct, frozen=True):
    """Puts pages into the output as they came; `found` are those, by content path.

    Where pages are verified none is put there, as its files may be made anew: `sent` has digests of the HTML.
    """

    output: Output
    pointer: str
    is_verifying: bool = False
    found: dict[str, PlacedPage] = field(default_factory=dict)
    sent: dict[str, bytes] = field(default_factory=dict)

    def place(self, page: SitePage, facts: Facts, shared: SharedPage, *, whole: bool) -> None:
        """Write a page's files, if that can be done without reading its text; `whole`: its HTML is wanted."""
        writer = self.output.writer
        if self.is_verifying:
            self.sent[page.path] = content_digest(shared.html)
            return
        if writer is None or facts.files or page.meta.feed:
            return
        content = content_of(facts, None, shared.content.twin.decode(), None)
        rendered = self._rendered(page, content, shared.html)
        self.found[page.path] = PlacedPage(
            tuple(write_files(rendered, writer)), shared.html if whole else None
        )

    def rendered(self, page: SitePage, content: PageContent) -> RenderedPage:
        """Return a page that was placed and has this content."""
        placed = self.found[page.path]
        return replace(self._rendered(page, content, placed.html), written=placed.written)

    def has_html(self, path: str, rendered: RenderedPage) -> bool:
        """Return whether a page has the HTML that was sent; True where none was, or where nobody knows."""
        left = rendered.written[0] if rendered.written else None
        here = content_digest(rendered.html) if rendered.html is not None else left.content if left else b""
        return not here or self.sent.get(path, here) == here

    def _rendered(self, page: SitePage, content: PageContent, html: bytes | None) -> RenderedPage:
        return RenderedPage(page.path, page.file, page.place, content, html, pointer=self.pointer)


class HtmlFile(NamedTuple):
    """The output path of a page's HTML, and its files key; empty for a page without a source key."""

    path: str
    key: bytes


def send_pages(
    cache: Cache, output: Output, source_keys: Mapping[str, bytes], html: Mapping[str, HtmlFile]
) -> None:
    """Send pages as they are kept and written now; `html` is of all pages of the site."""
    keys = {path: (key, html[path].key) for path, key in source_keys.items()}
    cache.send(html, keys, partial(_pages, cache, output, html))


def _pages(
    cache: Cache, output: Output, html: Mapping[str, HtmlFile], keys: BothKeys
) -> Iterator[tuple[str, SharedPage]]:
    from builder.cache.packs import SharedPage  # noqa: PLC0415 - most builds have no shared cache

    for path, (key, files_key) in keys.items():
        content, data = cache.row(path, key), output.read(html[path].path, html[path].key)
        if content is not None:
            yield path, SharedPage(key, content, files_key if data else b"", data)
