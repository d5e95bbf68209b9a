"""Pages: what they are rendered with, the page job, and the pages that no author wrote."""

from builder.render.asked import Asked, are_same, site_digest
from builder.render.generated import category_page, not_found_page, plain_home_page
from builder.render.page import Bodies, Made, Rendered, frame, lost_page, make, render_bodies, render_page
from builder.render.shared import NavTarget, Shared
from builder.render.twinlinks import TwinLinks
from builder.render.view import NOT_FOUND

__all__ = [
    "NOT_FOUND",
    "Asked",
    "Bodies",
    "Made",
    "NavTarget",
    "Rendered",
    "Shared",
    "TwinLinks",
    "are_same",
    "category_page",
    "frame",
    "lost_page",
    "make",
    "not_found_page",
    "plain_home_page",
    "render_bodies",
    "render_page",
    "site_digest",
]
