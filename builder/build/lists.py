"""Write what is made of the whole site: pages that no author wrote, lists of pages, the search, the theme."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from builder import search
from builder.build.extras import extras, search_file
from builder.build.jobs import Done
from builder.build.kept import Kept
from builder.build.layout import Layout
from builder.build.pages import Pages
from builder.digests import digest
from builder.render import NOT_FOUND
from builder.search import Part
from builder.site import SitePage


def write_lists(layout: Layout, pages: Pages, kept: Kept) -> None:
    """Write them, unless they are there."""
    if layout.home:
        kept.home_links(layout.home)
    key, by_path = pages.whole(layout), {page.path: page for page in layout.site.pages}
    if kept.has_all(key):
        return
    left = [by_path[path] for path in kept.left]
    kept.know_twins(pages.twins(left))
    from builder.build.generated import generated_pages  # noqa: PLC0415 - most builds make nothing anew

    for make in generated_pages(layout, pages.shared).values():
        kept.page(Done(make()), key)
    if layout.home:
        kept.home(layout.home, pages.html, key)
    for asset in extras(layout, pages.shared, kept.twins):
        kept.write(asset.path, asset.data, key)
    kept.later(lambda: _search(pages, kept, left, key), key)


def _search(pages: Pages, kept: Kept, left: Sequence[SitePage], key: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of the search by output path, but for those that stay as they are."""
    keys = dict(_keys(pages, kept))
    before = pages.cache.index() if all(keys.values()) else None
    made = search.changed(before, _known(kept.search), keys) if before else None
    if made is None or not kept.stay([search_file(name) for name in made.staying], key):
        kept.search |= pages.searches(left)
        parts = _known(kept.search)
        begun = kept.begun(len(parts), key)
        made = search.made(parts, keys, begun) if all(keys.values()) else None
        if made is None:
            return _placed(search.shards(list(parts.values()), begun))
    pages.cache.keep_index(made.index)
    return _placed(made.files)


def _keys(pages: Pages, kept: Kept) -> Iterator[tuple[str, bytes]]:
    """What tells the part of each page in the search from any other; empty where nothing does."""
    left = frozenset(kept.left)
    for path, part in kept.search.items():
        if path == NOT_FOUND or (part is None and path not in left):
            continue
        key = pages.key(path)
        yield path, _key(part) if key is None else key


def _key(part: Part | None) -> bytes:
    """The key of a page that no author wrote. Its headings are in its title, and sets have no order."""
    return digest(part.url, part.title, part.sections, part.terms) if part else b""


def _known(parts: dict[str, Part | None]) -> dict[str, Part]:
    return {path: part for path, part in parts.items() if part is not None}


def _placed(files: Iterable[search.File]) -> Iterator[tuple[str, bytes]]:
    return ((search_file(name), data) for name, data in files)
