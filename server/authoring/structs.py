"""Typed structs of requests and answers; the OpenAPI document and the reference are made of them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from server.authoring.field_types import (
    RANGE,
    FolderPath,
    Frontmatter,
    Level,
    NewFrontmatter,
    PageFormat,
    PagePath,
    Part,
)


class LevelCounts(Struct, frozen=True):
    """The numbers of diagnostics of each level."""

    error: Annotated[int, Meta(description="Errors.")] = 0
    warning: Annotated[int, Meta(description="Warnings.")] = 0
    info: Annotated[int, Meta(description="The rest.")] = 0


class PageSummary(Struct, frozen=True):
    """One page in the list; all but the first three fields are there only when `fields` names them."""

    path: PagePath
    title: Annotated[str, Meta(description="The page's title, or its name made readable.")]
    format: PageFormat
    description: Annotated[
        str | UnsetType | None, Meta(description="The frontmatter's; null when there is none.")
    ] = UNSET
    order: Annotated[
        int | UnsetType | None,
        Meta(description="Its place in the order of reading, from 1, drafts included; null outside of it."),
    ] = UNSET
    draft: Annotated[bool | UnsetType, Meta(description="Whether it is a draft.")] = UNSET
    unlisted: Annotated[bool | UnsetType, Meta(description="Whether lists leave it out.")] = UNSET
    url: Annotated[str | UnsetType, Meta(description="Its public address from the site's root.")] = UNSET
    revision: Annotated[
        str | UnsetType | None, Meta(description="As the `ETag` of GET; null when it is just changing.")
    ] = UNSET
    size: Annotated[int | UnsetType | None, Meta(description="Bytes of its file, without the twin.")] = UNSET
    diagnostics: Annotated[
        LevelCounts | UnsetType | None,
        Meta(description="The numbers of its diagnostics; null while it is not checked: ask again."),
    ] = UNSET
    frontmatter: Annotated[
        dict[str, object] | UnsetType | None,
        Meta(description="As GET of the page gives it; null where it cannot be given."),
    ] = UNSET
    body: Annotated[
        str | UnsetType | None,
        Meta(description="As GET of the page gives it; null where it cannot be given."),
    ] = UNSET
    llmBody: Annotated[
        str | UnsetType | None, Meta(description="As GET of the page gives it; null where there is none.")
    ] = UNSET


class Category(Struct, frozen=True):
    """A folder in the sidebar; null where nothing was said."""

    path: FolderPath
    label: Annotated[str | None, Meta(description="Sidebar label of the folder.")]
    position: Annotated[int | float | None, Meta(description="Sidebar order of the folder.")]
    collapsed: Annotated[bool | None, Meta(description="Whether the category starts collapsed.")]


class DeleteCategory(Struct, frozen=True, forbid_unknown_fields=True):
    """The folder whose record goes."""

    path: FolderPath
    dry_run: Annotated[bool, Meta(description="Removes nothing and gives the same answer.")] = False


class CategoryDeleted(Struct, frozen=True):
    """The record that was removed."""

    deleted: Annotated[bool, Meta(description="True, unless `dry_run` was asked for.")]
    category: Annotated[Category, Meta(description="What was said of the folder.")]


class SiteSummary(Struct, frozen=True):
    """The site that the key belongs to. Times are ISO 8601 in UTC."""

    id: Annotated[str, Meta(description="Names the site, and never changes.")]
    title: Annotated[str, Meta(description="The site's title, empty when it has none.")]
    description: Annotated[str, Meta(description="One line about the site, empty when it has none.")]
    url: Annotated[
        str,
        Meta(
            description="The site's public address: `url` of `site.yml`, or the one at which it is published."
            " Empty when it has none yet."
        ),
    ]
    plan: Annotated[
        Literal["free", "premium"], Meta(description="The owner's plan; some components need `premium`.")
    ]
    page_count: Annotated[int, Meta(description="How many pages there are, drafts included.")]
    updated_at: Annotated[str | None, Meta(description="When a page was last changed.")]
    published_at: Annotated[
        str | None,
        Meta(
            description="When the release that readers have was published, null when they have none, or that"
            " is not known."
        ),
    ]
    categories: Annotated[
        list[Category], Meta(description="The folders that something was said about, by path.")
    ]


class SiteResult(Struct, frozen=True):
    """The summary and every page, drafts included, sorted by path."""

    site: Annotated[SiteSummary, Meta(description="The summary.")]
    pages: Annotated[list[PageSummary], Meta(description="Every page, drafts included, by path.")]
    next_cursor: Annotated[
        str | UnsetType | None,
        Meta(description="With any parameter: the `cursor` to go on with, null when there is no more."),
    ] = UNSET


class SectionPlace(Struct, frozen=True):
    """The place of a section in the page's body: its heading, and all that stands under it."""

    id: Annotated[str, Meta(description="The heading's id.")]
    heading: Annotated[str, Meta(description="The heading's text.")]
    level: Annotated[int, Meta(description="The heading's level, 1 to 6.")]
    first_line: Annotated[int, Meta(description="The line of the whole `body` that it begins with, from 1.")]
    last_line: Annotated[int, Meta(description="The last line of it.")]


class Page(Struct, frozen=True):
    """One page, as PUT takes it."""

    path: PagePath
    format: PageFormat
    frontmatter: Frontmatter
    body: Annotated[str, Meta(description="Markdown, without the frontmatter.")]
    llmBody: Annotated[
        str | None, Meta(description="The hand-written machine-readable twin, null when there is none.")
    ]
    section: Annotated[
        SectionPlace | UnsetType,
        Meta(description="With `section`: which one `body` is. PUT does not take such a page: it is a part."),
    ] = UNSET


class PutPage(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole page: what is left out is removed."""

    path: PagePath
    format: PageFormat = "mdx"
    frontmatter: NewFrontmatter = msgspec.field(default_factory=dict)
    body: Annotated[str, Meta(description="Markdown. May begin with YAML frontmatter.")] = ""
    llmBody: Annotated[
        str | None,
        Meta(
            description="Plain markdown for the page's machine-readable twin. Without it, it is derived; "
            "one that is too large to be read stays."
        ),
    ] = None


class PutCategory(Struct, frozen=True, forbid_unknown_fields=True):
    """Fields that are given are set, null clears one, what is left out stays."""

    path: FolderPath
    label: Annotated[str | UnsetType | None, Meta(description="Sidebar label of the folder.")] = UNSET
    position: Annotated[
        int | float | UnsetType | None,
        Meta(description="Sidebar order of the folder; lower means higher.", extra_json_schema=RANGE),
    ] = UNSET
    collapsed: Annotated[
        bool | UnsetType | None, Meta(description="Whether the category starts collapsed.")
    ] = UNSET

    @property
    def given(self) -> dict[str, object]:
        """The fields that are given, None for one that is cleared: an empty label is none."""
        label = self.label if self.label is UNSET or (self.label or "").strip() else None
        fields = (("label", label), ("position", self.position), ("collapsed", self.collapsed))
        return {name: value for name, value in fields if value is not UNSET}


class Finding(Struct, frozen=True):
    """A diagnostic, as `twinpress check` gives it."""

    code: Annotated[str, Meta(description="The kind of diagnostic.")]
    level: Annotated[
        Level, Meta(description="`error` breaks a reader's way, `warning`: content is changed or left out.")
    ]
    part: Annotated[
        Part,
        Meta(description="The field of the request that it is about."),
    ]
    line: Annotated[
        int, Meta(description="The line in the text that was sent, from 1; 0 for no single line.")
    ]
    column: Annotated[int, Meta(description="The column in that line, from 1; 0 for none.")]
    file: Annotated[str, Meta(description="The file of the page or of its twin.")]
    file_line: Annotated[int, Meta(description="The line in that file, from 1; 0 for no single line.")]
    message: Annotated[str, Meta(description="The problem.")]
    hint: Annotated[str, Meta(description="The way to solve it; empty when there is nothing to add.")]


class PutResult(Struct, frozen=True):
    """The outcome of a PUT, or with `dry_run` the outcome that it would have."""

    path: PagePath
    format: PageFormat
    url: Annotated[str, Meta(description="The page's public address from the site's root.")]
    created: Annotated[bool, Meta(description="Whether there was no page before.")]
    revision: Annotated[str, Meta(description="Names this state of the page; `If-Match` takes it.")]
    diagnostics: Annotated[
        list[Finding], Meta(description="The findings of a check of the page: correct errors and warnings.")
    ]


class InboundLink(Struct, frozen=True):
    """A link of another page, or of the site's settings, that leads nowhere now."""

    path: Annotated[str, Meta(description="The page that has the link; empty for a link of the settings.")]
    file: Annotated[str, Meta(description="The file that has the link.")]
    line: Annotated[int, Meta(description="The link's line in that file, from 1.")]
    column: Annotated[int, Meta(description="The link's column in that line, from 1.")]


class DeleteResult(Struct, frozen=True):
    """The outcome of a DELETE."""

    path: PagePath
    deleted: Annotated[bool, Meta(description="True, unless `dry_run` was asked for.")]
    inbound_links: Annotated[
        list[InboundLink] | None,
        Meta(
            description="The links of other pages, and of the settings, that lead nowhere without the page; "
            "null when they are not known."
        ),
    ]


GUIDE_PARTS = ("components", "icons", "errors")
"""What there is more of than stands in the guide."""


class GuideQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The part of the guide that is asked for."""

    part: Annotated[
        str,
        Meta(
            description="What the guide says in short, at length: `components`, `icons`, `errors`, or the "
            "names of components, such as `Tabs,Steps`.",
            max_length=1_000,
            extra_json_schema={"format": "guide-part"},
        ),
    ] = ""


WHOLE_GUIDE = GuideQuery()


class Guide(Struct, frozen=True):
    """All that an agent needs to write pages here."""

    markdown: Annotated[str, Meta(description="The guide.")]
