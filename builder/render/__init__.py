"""Pages: what they are rendered with, the page job, and the pages that no author wrote."""

from builder.render.asked import are_same
from builder.render.generated import category_page, not_found_page, plain_home_page
from builder.render.page import Bodies, Made, Rendered, frame, lost_page, render_bodies, render_page
from builder.render.shared import NavTarget, Shared
from builder.render.view import NOT_FOUND

__all__ = [
    "NOT_FOUND",
    "Bodies",
    "Made",
    "NavTarget",
    "Rendered",
    "Shared",
    "are_same",
    "category_page",
    "frame",
    "lost_page",
    "not_found_page",
    "plain_home_page",
    "render_bodies",
    "render_page",
]
