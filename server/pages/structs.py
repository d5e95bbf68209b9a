"""What goes over the wire, as typed structs; the OpenAPI document and the reference are made of them too."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

Format = Literal["mdx", "md"]
Level = Literal["error", "warning", "info"]
PagePath = Annotated[
    str, Meta(description="Content path: `docs/<folder>/<name>` or `pages/<name>`, no extension.")
]
FolderPath = Annotated[str, Meta(description="Folder path, of the form `docs/<folder>`.")]
Frontmatter = Annotated[
    dict[str, object],
    Meta(
        description="`title`, `description`, `sidebar_label` (text), `sidebar_position` (number), "
        "`hide_title`, `draft` (boolean). Other keys are kept."
    ),
]


class PageSummary(Struct, frozen=True):
    """One page in the list."""

    path: PagePath
    title: str
    format: Format


class Category(Struct, frozen=True):
    """What the sidebar says about a folder; null where nothing was said."""

    path: FolderPath
    label: Annotated[str | None, Meta(description="Sidebar label of the folder.")]
    position: Annotated[int | float | None, Meta(description="Sidebar order of the folder.")]
    collapsed: Annotated[bool | None, Meta(description="Whether the category starts collapsed.")]


class SiteSummary(Struct, frozen=True):
    """The site that the key belongs to. Times are ISO 8601 in UTC."""

    id: str
    title: str
    description: str
    url: Annotated[str, Meta(description="The site's public address, empty when it has none yet.")]
    plan: Literal["free", "premium"]
    page_count: int
    updated_at: str | None
    published_at: str | None
    categories: list[Category]


class SiteResult(Struct, frozen=True):
    """The summary and every page, drafts included, sorted by path."""

    site: SiteSummary
    pages: list[PageSummary]


class Page(Struct, frozen=True):
    """One page, as PUT takes it."""

    path: PagePath
    format: Format
    frontmatter: Frontmatter
    body: Annotated[str, Meta(description="Markdown, without the frontmatter.")]
    llmBody: Annotated[
        str | None, Meta(description="The hand-written machine-readable twin, null when there is none.")
    ]


class PutPage(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole page: what is left out is removed."""

    path: PagePath
    format: Format = "mdx"
    frontmatter: Frontmatter = msgspec.field(default_factory=dict)
    body: Annotated[str, Meta(description="Markdown. May begin with YAML frontmatter.")] = ""
    llmBody: Annotated[
        str | None, Meta(description="Plain markdown for the page's machine-readable twin.")
    ] = None


class PutCategory(Struct, frozen=True, forbid_unknown_fields=True):
    """Fields that are given are set, null clears one, what is left out stays."""

    path: FolderPath
    label: str | UnsetType | None = UNSET
    position: int | float | UnsetType | None = UNSET
    collapsed: bool | UnsetType | None = UNSET


class Finding(Struct, frozen=True):
    """A diagnostic, as `twinpress check` gives it.

    `line` and `column` count from 1 in the text that was sent, `file_line` in the file; 0 stands for no
    single line. `part` is the field of the request that it is about.
    """

    code: str
    level: Level
    part: Literal["body", "frontmatter", "llmBody"]
    line: int
    column: int
    file: str
    file_line: int
    message: str
    hint: str


class PutResult(Struct, frozen=True):
    """What a PUT did, or with `dry_run` would have done."""

    path: PagePath
    format: Format
    url: Annotated[str, Meta(description="The page's public address from the site's root.")]
    created: bool
    revision: Annotated[str, Meta(description="Names this state of the page; `If-Match` takes it.")]
    diagnostics: list[Finding]


class InboundLink(Struct, frozen=True):
    """A link of another page that leads nowhere now."""

    path: PagePath
    file: str
    line: int
    column: int


class DeleteResult(Struct, frozen=True):
    """What a DELETE did."""

    path: PagePath
    deleted: bool
    inbound_links: list[InboundLink]


class Guide(Struct, frozen=True):
    """All that an agent needs to write pages here."""

    markdown: str
