"""The endpoint at which a page is looked at, as the table wants it, with its example."""

from __future__ import annotations

from collections.abc import Mapping

from builder.review.outline_structs import OutlineHeading, PageOutline
from server.api.describe.table import Endpoint, Example, parameters_of
from server.authoring.page_preview.preview_structs import LookAt, PagePreview

PREVIEW_ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "preview",
        "GET",
        "/ai/preview",
        "Look at a page",
        "What a reader has before their eyes, for those who have none: the outline of the rendered page, or "
        "of up to 20, in milliseconds; and where a browser is installed, a picture of the first. One picture "
        "is taken at a time, at most 6,000 pixels high, within 20 seconds; nothing is loaded that is not the "
        "site's own.",
        PagePreview,
        ("INVALID_PATH", "PAGE_NOT_FOUND", "SCREENSHOT_UNAVAILABLE", "PREVIEW_FAILED"),
        parameters_of(LookAt),
        successes={200: "The outline, and the picture that was wanted."},
        also="image/png",
        headers=("Vary", "Link"),
    ),
)

_OUTLINE = PageOutline(
    draft=False,
    headings=[OutlineHeading(1, "Install", "")],
    landmarks=None,
    components=[],
    images=[],
    tables=[],
    code=[],
    internal_links=1,
    external_links=0,
    words=5,
    diagrams=[],
    formulas=0,
    cut=False,
)
PREVIEW_EXAMPLES: Mapping[str, Example] = {
    "preview": Example(
        PagePreview(
            "docs/start/install",
            "/docs/start/install",
            "8073bace56d2df851ac0beab2c76516c",
            "http://127.0.0.1:8000/docs/start/install",
            _OUTLINE,
            "",
            image=None,
            no_image="",
            others=[],
        ),
        parameters={"path": "docs/start/install"},
    ),
}
