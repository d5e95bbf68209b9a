"""Pages on their way from and to the cache that machines share, with the HTML that they are published as.

A page whose files key is the same is put into the output as another machine has written it: neither its text
is read nor its frame made. One whose files key is another, as the sidebar has changed, gets a frame here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
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
    """Puts pages into the output as they came; `found` are those, by content path."""

    cache: Cache
    output: Output
    pointer: str
    found: dict[str, PlacedPage] = field(default_factory=dict)

    def place(self, page: SitePage, facts: Facts, shared: SharedPage, *, whole: bool) -> None:
        """Write a page's files, if that can be done without reading its text; `whole`: its HTML is wanted."""
        writer = self.output.writer
        if writer is None or facts.files or page.meta.feed:
            return
        content = content_of(facts, None, shared.content.twin.decode(), None)
        rendered = self._rendered(page, content, shared.html)
        self.found[page.path] = PlacedPage(
            tuple(write_files(rendered, writer)), shared.html if whole else None
        )

    def rendered(self, page: SitePage, key: bytes, facts: Facts) -> RenderedPage | None:
        """Return a page that was placed, None when its values are gone meanwhile."""
        placed, content = self.found[page.path], self.cache.told(page.path, key, facts)
        if content is None:
            return None
        return replace(self._rendered(page, content, placed.html), written=placed.written)

    def has_html(self, path: str, rendered: RenderedPage) -> bool:
        """Return whether a page has the HTML that was placed; True for one that was not."""
        placed = self.found.get(path)
        if placed is None or not rendered.written:
            return True
        before, now = placed.written[0], rendered.written[0]
        return before is None or now is None or before.content == now.content

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
    is_written = output.folder is not None
    keys = {path: (key, html[path].key if is_written else b"") for path, key in source_keys.items()}
    cache.send(html, keys, partial(_pages, cache, output, html))


def _pages(
    cache: Cache, output: Output, html: Mapping[str, HtmlFile], keys: BothKeys
) -> Iterator[tuple[str, SharedPage]]:
    from builder.cache.packs import SharedPage  # noqa: PLC0415 - most builds have no shared cache

    for path, (key, files_key) in keys.items():
        content, data = cache.row(path, key), _written(output, html[path])
        if content is not None:
            yield path, SharedPage(key, content, files_key if data else b"", data)


def _written(output: Output, html: HtmlFile) -> bytes:
    """The HTML as this build has left it; empty where it is another by now."""
    entry = output.ledger.now(html.path)
    if output.folder is None or entry is None or entry.key != html.key:
        return b""
    try:
        data = Path(output.folder, html.path).read_bytes()
    except OSError:
        return b""
    return data if content_digest(data) == entry.left.content else b""
