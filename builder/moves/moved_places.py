"""The places that pages and files had, and those that they have after moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from builder import paths
from builder.moves.moved_links import MovedPlace
from builder.moves.relocation import Relocation
from builder.plan.layout import Layout
from builder.site import SitePage

Pair = tuple[MovedPlace, MovedPlace]
"""The old place, and the new one."""


class MovedPlaces(Struct, frozen=True):
    """Places of `pages` by old content path, those that a build makes of folders among them; `outputs` are
    those of all other files, by old output path."""

    pages: Mapping[str, Pair]
    outputs: Mapping[str, Pair]

    @staticmethod
    def of(before: Layout, now: Layout, moved: Relocation, pages: Iterable[SitePage]) -> MovedPlaces:
        """Find the places of what has moved between two layouts; `pages` are those of the site then."""
        after = {page.path: page for page in pages}
        found, outputs = dict[str, Pair](), dict[str, Pair]()
        for page in before.site.pages:
            new = after.get(moved.path(page.path))
            if page.file in moved.files and new is not None:
                found[page.path] = _place_of(page), _place_of(new)
                outputs |= _beside(page, new)
        return MovedPlaces(
            found | dict(_generated(before, now, moved)), outputs | dict(_files(before, moved))
        )


def file_place(file: str, docs_at: str) -> str:
    """Return the output path of a file that is no page."""
    return paths.moved(file.removeprefix("static/"), docs_at)


def _place_of(page: SitePage) -> MovedPlace:
    return MovedPlace(page.path, page.file, page.url)


def _beside(page: SitePage, new: SitePage) -> Iterator[tuple[str, Pair]]:
    """The files that a build makes of a page beside it: the second place of its twin, its feed."""
    for one, other in zip(_others(page), _others(new), strict=False):
        yield one, (MovedPlace("", one, f"/{one}"), MovedPlace("", other, f"/{other}"))


def _others(page: SitePage) -> tuple[str, ...]:
    return (*page.outputs[2:], page.feed_url[1:])


def _generated(before: Layout, now: Layout, moved: Relocation) -> Iterator[tuple[str, Pair]]:
    """The pages that a build makes of folders that move."""
    known = {category.path: category.url for category, _ in now.generated}
    for category, _ in before.generated:
        path = moved.path(category.path)
        if path != category.path and path in known:
            old = MovedPlace(f"{category.path}/index", "", category.url)
            yield old.path, (old, MovedPlace(f"{path}/index", "", known[path]))


def _files(before: Layout, moved: Relocation) -> Iterator[tuple[str, Pair]]:
    """The files that are no pages."""
    docs_at = before.site.config.docs_at
    for each in before.site.files:
        new = moved.files.get(each.file)
        if new is not None:
            address = f"/{file_place(new, docs_at)}"
            yield each.output, (MovedPlace("", each.file, f"/{each.output}"), MovedPlace("", new, address))
