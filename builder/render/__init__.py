"""Pages: what they are rendered with, the page job, and the pages that no author wrote."""

from builder.render.generated import category_page, not_found_page, plain_home_page
from builder.render.page import Bodies, Rendered, lost_page, render_bodies, render_page
from builder.render.shared import NavTarget, Shared

__all__ = [
    "Bodies",
    "NavTarget",
    "Rendered",
    "Shared",
    "category_page",
    "lost_page",
    "not_found_page",
    "plain_home_page",
    "render_bodies",
    "render_page",
]
