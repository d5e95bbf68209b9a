"""A job with a page, and its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from builder.cache import CacheRow
from builder.code.value import Fence
from builder.output import Left
from builder.plan.layout import page_outputs
from builder.render import PageContent, Rendered
from builder.site import SitePage
from builder.unicode import encoded

Written = tuple[Left | None, ...]
"""A page's files as they are left, in their order."""


class Job(Struct, frozen=True):
    """A page to render; only its frame, when what its source gives is known. `whole`: its HTML is wanted.

    `code` are blocks of code that it had before.
    """

    page: SitePage
    made: PageContent | None = None
    whole: bool = False
    code: Mapping[bytes, Fence] = {}


class Done(Struct, frozen=True):
    """A rendered page. `written` are its files, when they are; else its HTML is there.

    `row` is what the cache is to keep of it, when that is packed already.
    """

    rendered: Rendered
    written: Written | None = None
    row: CacheRow | None = None


def files(rendered: Rendered) -> Iterator[tuple[str, bytes]]:
    """The files of a page by their output paths; none when they are there."""
    if rendered.html is not None:
        twin = encoded(rendered.made.twin)
        yield from zip(page_outputs(rendered.path), (rendered.html, twin, twin), strict=False)
