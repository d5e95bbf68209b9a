"""Write the files of one page. Apart from `page_worker`, which loads what renders."""

from __future__ import annotations

from collections.abc import Iterator

from builder.output import Left, PageWriter
from builder.render import RenderedPage


def write_files(page: RenderedPage, writer: PageWriter) -> Iterator[Left | None]:
    """Write a page's files; gives how they are left, in their order."""
    (path, html), *twins = page.own_files()
    yield writer.write(path, html)
    if twins:
        (first, data), (second, _) = twins
        yield from writer.write_twice(first, second, data)
    for path, data in page.content.body.files().items():
        yield writer.write(path, data)
