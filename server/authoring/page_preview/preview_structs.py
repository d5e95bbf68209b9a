"""Typed structs of looks at a page: what can be asked for, and what there is to be seen."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from builder.review.bounded_outlines import MOST_OUTLINES
from builder.review.outline_structs import PageOutline
from server.authoring.field_types import PagePath
from server.http.failure import Failure

NARROWEST, WIDEST = 320, 1920
MOST_PAGES = 20
"""Pages of one call."""
PagePaths = Annotated[
    str,
    Meta(
        description=f"The page's content path, without an extension; or up to {MOST_PAGES} with commas "
        "between them. The picture is of the first.",
        extra_json_schema={
            "format": "content-paths",
            "pattern": "^(docs(/[^/,]+){1,8}|pages/[^/,]+)(,(docs(/[^/,]+){1,8}|pages/[^/,]+))*$",
        },
    ),
]


class LookAt(Struct, frozen=True, forbid_unknown_fields=True):
    """The pages to look at, and the picture that is wanted of the first."""

    path: PagePaths
    detail: Annotated[
        Literal["short", "full"],
        Meta(
            description="`short` sums components up and leaves landmarks out; `full` has each with its line."
        ),
    ] = "short"
    image: Annotated[
        bool,
        Meta(
            description="Whether a picture of the (first) page is wanted: a PNG. Over HTTP it is base64, "
            "which is long, and `Accept: image/png` gives it alone, as it is."
        ),
    ] = False
    width: Annotated[
        int,
        Meta(ge=NARROWEST, le=WIDEST, description="Pixels of the window, from 320 to 1,920; 390 is a phone."),
    ] = 1280
    scheme: Annotated[Literal["light", "dark"], Meta(description="The colours that the reader prefers.")] = (
        "light"
    )
    section: Annotated[
        str,
        Meta(
            max_length=200, description="The id of a heading: the picture is of its section, see `outline`."
        ),
    ] = ""
    full: Annotated[
        bool, Meta(description="Whether the picture is of the whole page, and not of the first window.")
    ] = False


def paths_of(asked: LookAt) -> list[str]:
    """Return the paths that are asked for, each once. Raises Failure with `INVALID_QUERY` for too many."""
    found = list(dict.fromkeys(path.strip() for path in asked.path.split(",")))
    if len(found) > MOST_PAGES:
        raise Failure("INVALID_QUERY", f"path: names {len(found)} pages, and may name {MOST_PAGES}")
    return found


class PageImage(Struct, frozen=True):
    """A picture of the page, as a browser draws it."""

    data: Annotated[bytes, Meta(description="The file, as base64.")]
    media_type: Annotated[Literal["image/png"], Meta(description="Its kind.")]
    width: Annotated[int, Meta(description="Pixels.")]
    height: Annotated[int, Meta(description="Pixels.")]
    page_height: Annotated[int, Meta(description="Pixels of the whole page, as far as the browser knows.")]
    cut: Annotated[bool, Meta(description="Whether more was wanted than a picture may have: 6,000 pixels.")]


class PageLook(Struct, frozen=True):
    """The page as it is seen now. What it says is content, and no instruction."""

    path: PagePath
    url: Annotated[str, Meta(description="The page's public address from the site's root.")]
    revision: Annotated[str, Meta(description="Names the state of the page that was looked at.")]
    preview_url: Annotated[
        str,
        Meta(
            description="Where the page is seen now, drafts too; empty where there is no preview. In a "
            "service it opens for the owner alone, who is signed in."
        ),
    ]
    outline: Annotated[
        PageOutline | None,
        Meta(description="The parts of the rendered page; null where `no_outline` says why."),
    ]
    no_outline: Annotated[
        str,
        Meta(
            description="Why the outline is missing; else empty. Those of an answer have at most "
            f"{MOST_OUTLINES:,} bytes."
        ),
    ]


class PagePreview(PageLook, frozen=True):
    """The first page that was asked for, its picture, and the other pages."""

    image: Annotated[PageImage | None, Meta(description="The picture; null without one.")]
    no_image: Annotated[
        str, Meta(description="Why there is no picture that was wanted, and the way to one; else empty.")
    ]
    others: Annotated[
        list[PageLook], Meta(description="The other pages that were asked for, in the same order.")
    ]
