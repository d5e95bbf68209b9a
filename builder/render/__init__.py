"""Pages: what they are rendered with, the page job, and the pages that no author wrote.

What renders is in `page` and `generated`: a build that finds every page as it was never loads them.
"""

from builder.render.dependencies import Asked, are_same, site_digest
from builder.render.rendered_page import CachedPage, PageContent, RenderedPage
from builder.render.shared import NavTarget, Shared, Templates
from builder.render.twin_links import TwinLinks

__all__ = [
    "Asked",
    "CachedPage",
    "NavTarget",
    "PageContent",
    "RenderedPage",
    "Shared",
    "Templates",
    "TwinLinks",
    "are_same",
    "site_digest",
]
