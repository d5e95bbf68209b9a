"""Pages: what they are rendered with, and what becomes of them.

What renders is in `render_page`: a build that finds every page as it was never loads it.
"""

from builder.render.dependencies import Asked, are_same, site_digest
from builder.render.known_page import (
    KNOWN,
    KnownPage,
    PackedAnchors,
    packed_anchors,
    unpacked_anchors,
)
from builder.render.rendered_page import CachedPage, PageContent, RenderedPage, RenderedText, StandingPage
from builder.render.shared import NavTarget, Shared, Templates
from builder.render.twin_links import TwinLinks

__all__ = [
    "KNOWN",
    "Asked",
    "CachedPage",
    "KnownPage",
    "NavTarget",
    "PackedAnchors",
    "PageContent",
    "RenderedPage",
    "RenderedText",
    "Shared",
    "StandingPage",
    "Templates",
    "TwinLinks",
    "are_same",
    "packed_anchors",
    "site_digest",
    "unpacked_anchors",
]
