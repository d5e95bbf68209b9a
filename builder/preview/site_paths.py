"""Every place of a site, and what makes the file that is there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from enum import Enum
from functools import partial

from msgspec import Struct

from builder import paths
from builder.plan.generated_pages import generated_pages
from builder.plan.layout import HOME, Layout, generated_place
from builder.plan.llms_full import is_part
from builder.plan.site_files import ADDRESSES, FULL, Make, feed_output, lists, search_file
from builder.render import RenderedPage, Shared
from builder.search import ENTRY
from builder.site import SitePage

SEARCH = search_file(ENTRY)
SEARCH_FOLDER = f"{SEARCH.rpartition('.')[0]}/"


class OfPage(Struct, frozen=True):
    """A form of an author's page, named by its content path: its HTML, or its twin."""

    path: str
    html: bool


class OfFeed(Struct, frozen=True):
    """The feed of an author's page, named by its content path."""

    path: str


class OfAll(Enum):
    """A file that all pages are needed for."""

    TEXTS = "llms-full.txt"
    SEARCH = "search.json"
    ADDRESSES = "urls.txt"


Source = OfPage | OfFeed | OfAll | Make


def sources(layout: Layout, shared: Shared) -> dict[str, Source]:
    """All output paths of files that are made, but for those that turn out when all pages are."""
    found: dict[str, Source] = dict(_pages(layout.site.pages))
    for path, make in generated_pages(layout, shared).items():
        found.update(zip(paths.outputs(path, generated_place(layout, path)), _forms(make), strict=False))
    if layout.home:
        found.update(_page(paths.outputs(HOME), layout.home.path))
    found.update(lists(layout, shared))
    found.update({feed_output(page): OfFeed(page.path) for page in layout.feeds})
    return found | {FULL: OfAll.TEXTS, SEARCH: OfAll.SEARCH, ADDRESSES: OfAll.ADDRESSES}


def turns_out(output: str) -> bool:
    """Return whether there may be a file at an output path that is known only when all pages are made."""
    return output.startswith(SEARCH_FOLDER) or is_part(output)


def _pages(pages: Collection[SitePage]) -> Iterator[tuple[str, Source]]:
    for page in pages:
        yield from _page(page.outputs, page.path)


def _page(outputs: tuple[str, ...], path: str) -> Iterator[tuple[str, Source]]:
    """The output paths at which the page at `path` is."""
    html, twin = OfPage(path, html=True), OfPage(path, html=False)
    return zip(outputs, (html, twin, twin), strict=False)


def _forms(make: Callable[[], RenderedPage]) -> tuple[Make, Make, Make]:
    """Return the functions that make the forms of a generated page."""
    twin = partial(_twin, make)
    return partial(_html, make), twin, twin


def _html(make: Callable[[], RenderedPage]) -> bytes:
    return make().html or b""


def _twin(make: Callable[[], RenderedPage]) -> bytes:
    return make().twin_file()


class SitePaths(Collection[str]):
    """All output paths, as they are just now."""

    def __init__(self, *groups: Collection[str]) -> None:
        self._groups = groups

    def __contains__(self, path: object) -> bool:
        """Return whether there is something at an output path."""
        return any(path in group for group in self._groups)

    def __iter__(self) -> Iterator[str]:
        """Each path once."""
        return iter(dict.fromkeys(path for group in self._groups for path in list(group)))

    def __len__(self) -> int:
        """Count the paths; one may count twice."""
        return sum(map(len, self._groups))
