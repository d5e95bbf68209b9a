"""Typed structs of the answers about changes of several pages at once, about edits and moves."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from builder.review.bounded_outlines import MOST_OUTLINES
from builder.review.outline_structs import PageOutline
from server.authoring.field_types import PageFormat, PagePath
from server.authoring.structs import Category, Finding, InboundLink

MadeChange = Annotated[
    str | None,
    Meta(
        description="The id of the change, which `POST /ai/undo` takes; null for a `dry_run`, or where "
        "nothing is another than before."
    ),
]
PreviewUrl = Annotated[
    str, Meta(description="Where this key sees the page now, drafts too; empty where it cannot.")
]


class NavigationPlace(Struct, frozen=True):
    """The place at which readers find a page."""

    sidebar: Annotated[
        list[str],
        Meta(
            description="The labels that lead to the page in the sidebar, from the outermost category to its "
            "own; empty where the sidebar does not have it."
        ),
    ]
    position: Annotated[
        int | None, Meta(description="Its place in its category, from 1; null where the sidebar lacks it.")
    ]
    siblings: Annotated[
        int | None,
        Meta(description="Entries of that category, this one included; null where the sidebar lacks it."),
    ]
    linked_in: Annotated[
        list[Literal["header", "footer"]], Meta(description="The parts of every page that link to it.")
    ]
    note: Annotated[
        str, Meta(description="Why the sidebar does not have it, and how to add it; empty where it does.")
    ]


NavigationPlaceOfPage = Annotated[
    NavigationPlace | None,
    Meta(description="Where readers find the page after the change; null for one that is deleted."),
]
OutlineOfPage = Annotated[
    PageOutline | None,
    Meta(
        description="The short outline of the rendered page as `GET /ai/preview` gives it; null where it was "
        "not asked for, for a page that is deleted, and where `no_outline` says why. All outlines of an "
        f"answer have at most {MOST_OUTLINES:,} bytes; pages that were written or edited come first."
    ),
]
NoOutline = Annotated[
    str, Meta(description="Why an outline that was asked for is missing, and the way to it; else empty.")
]


class ChangedPage(Struct, frozen=True):
    """A page that the change has touched, as it is after the whole change."""

    path: PagePath
    format: PageFormat
    url: Annotated[str, Meta(description="The page's public address from the site's root.")]
    preview_url: PreviewUrl
    created: Annotated[bool, Meta(description="Whether there was no page before.")]
    deleted: Annotated[bool, Meta(description="Whether there is no page any more.")]
    moved_from: Annotated[str | None, Meta(description="The path that the page had; null if the same.")]
    revision: Annotated[
        str | None, Meta(description="Names this state of the page; null for one that is deleted.")
    ]
    diagnostics: Annotated[
        list[Finding] | None,
        Meta(
            description="The findings of a check of the page after the whole change. Lines are those of the "
            "body that was sent, or that GET gives. Null where so many pages were touched that there was no "
            "time for this one."
        ),
    ]
    navigation: NavigationPlaceOfPage
    outline: OutlineOfPage = None
    no_outline: NoOutline = ""


class RewrittenFile(Struct, frozen=True):
    """A file whose links follow what has moved."""

    file: Annotated[str, Meta(description="The file, by the name that it has now.")]
    links: Annotated[int, Meta(description="The number of links in it that lead to the new place now.")]


class UnchangedLink(Struct, frozen=True):
    """A link that could not be changed although what it leads to has moved: change it by an edit."""

    file: Annotated[str, Meta(description="The file that has the link.")]
    line: Annotated[int, Meta(description="The link's line in that file, from 1.")]
    address: Annotated[str, Meta(description="The link as it is written.")]


class RedirectEffect(Struct, frozen=True):
    """A redirect that is new, leads elsewhere, or is gone."""

    from_: Annotated[str, Meta(description="The old address.")] = msgspec.field(name="from")
    to: Annotated[str | None, Meta(description="The address that it leads to; null if it is gone.")]


class ChangeEffects(Struct, frozen=True):
    """The effects of a change on other pages and on the settings."""

    broken_links: Annotated[
        list[InboundLink] | None,
        Meta(
            description="Links of pages that were not touched, and of the settings, that lead nowhere now; "
            "null where there was no time to look at all of them."
        ),
    ]
    rewritten: Annotated[list[RewrittenFile], Meta(description="Files whose links follow what has moved.")]
    left: Annotated[list[UnchangedLink], Meta(description="Links that could not follow what has moved.")]
    redirects: Annotated[list[RedirectEffect], Meta(description="Redirects that are others now.")]
    categories: Annotated[list[Category], Meta(description="Categories as they are now.")]
    notes: Annotated[list[str], Meta(description="What else follows, in sentences.")]


class ChangesResult(Struct, frozen=True):
    """The outcome of a change, or with `dry_run` the outcome that it would have."""

    applied: Annotated[bool, Meta(description="False for a `dry_run`, which changes nothing.")]
    pages: Annotated[list[ChangedPage], Meta(description="Every page that was touched, by path.")]
    effects: Annotated[ChangeEffects, Meta(description="The effects on everything else.")]
    change: MadeChange


class EditResult(Struct, frozen=True):
    """The outcome of an edit, or with `dry_run` the outcome that it would have."""

    applied: Annotated[bool, Meta(description="False for a `dry_run`, which changes nothing.")]
    path: PagePath
    format: PageFormat
    url: Annotated[str, Meta(description="The page's public address from the site's root.")]
    preview_url: PreviewUrl
    created: Annotated[bool, Meta(description="Always false.")]
    revision: Annotated[str, Meta(description="Names this state of the page; `if_match` takes it.")]
    diagnostics: Annotated[
        list[Finding],
        Meta(description="The findings of a check of the page. Lines are those of the body that GET gives."),
    ]
    replaced: Annotated[int, Meta(description="The number of places in the texts that are others now.")]
    fields: Annotated[list[str], Meta(description="The fields of the frontmatter that are others now.")]
    broken_links: Annotated[
        list[InboundLink] | None,
        Meta(
            description="Links of other pages that lead nowhere now, such as to a heading that is gone; null "
            "where there was no time to look at all of them."
        ),
    ]
    change: MadeChange
    navigation: NavigationPlaceOfPage
    outline: OutlineOfPage = None
    no_outline: NoOutline = ""
