"""The pages of a site that no author wrote."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from builder.plan.layout import HOME, Layout, standalone_pages
from builder.render import NOT_FOUND, Rendered, Shared
from builder.render.generated import category_page, not_found_page, plain_home_page


def generated_pages(layout: Layout, shared: Shared) -> dict[str, Callable[[], Rendered]]:
    """What makes each of them, by content path."""
    found: dict[str, Callable[[], Rendered]] = {
        f"{category.path}/index": partial(category_page, category, chain, shared)
        for category, chain in layout.generated
    }
    if not layout.has(NOT_FOUND):
        found[NOT_FOUND] = partial(not_found_page, shared)
    if not layout.has(HOME) and layout.home is None:
        found[HOME] = partial(plain_home_page, standalone_pages(layout.site.pages), shared)
    return found
