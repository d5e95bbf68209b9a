"""Write what is made of the whole site: pages that no author wrote, lists of pages, the search, the theme."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from builder.plan.layout import Layout
from builder.plan.site_files import FULL, full, lists
from builder.produce.results import PageResults
from builder.produce.reuse import Pages
from builder.produce.whole_site import search_written
from builder.workers.page_job import Done


@contextmanager
def lists_written(layout: Layout, pages: Pages, kept: PageResults, jobs: int | None) -> Iterator[None]:
    """Write them, unless they are there; some of them while the block runs."""
    if layout.home:
        kept.home_links(layout.home)
    key, by_path = pages.whole(layout), {page.path: page for page in layout.site.pages}
    around = key and pages.around(layout)
    are_there = kept.has_all(around)
    if are_there and kept.has_all(key):
        yield
        return
    left = [by_path[path] for path in kept.left]
    kept.know_twins(pages.twins([*left, *(by_path[path] for path in kept.untold)]))
    from builder.plan.generated_pages import generated_pages  # noqa: PLC0415 - most builds make nothing anew

    for make in generated_pages(layout, pages.shared).values():
        kept.page(Done(make()), key)
    with search_written(pages, kept, left, key, jobs):
        if layout.home:
            kept.home(layout.home, pages.html, key)
        for path, data in () if are_there else lists(layout, pages.shared):
            kept.write(path, data(), around)
        kept.write(FULL, full(layout, pages.shared, lambda path: kept.twins[path].decode()), key)
        yield
