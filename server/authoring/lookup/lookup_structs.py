"""Typed structs of looking things up: search, diagnostics, sections of a page, the list of pages."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from server.authoring.field_types import Level, PagePath
from server.authoring.structs import LevelCounts

CURSOR = Meta(
    max_length=2_000,
    description="`next_cursor` of the answer before.",
    extra_json_schema={"format": "cursor"},
)
NEXT_CURSOR = Meta(description="The `cursor` to go on with; null when there is no more.")


FIELDS = (
    *("title", "format", "description", "order", "draft", "unlisted", "url", "revision", "size"),
    *("diagnostics", "frontmatter", "body", "llmBody"),
)
"""Fields of an entry in the list of pages; the first two are always there, beside `path`."""
_FIELD = "|".join(FIELDS)


class SiteQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the list of pages, with more of each; without any parameter all pages are listed."""

    fields: Annotated[
        str,
        Meta(
            max_length=300,
            description="Fields of each page, with commas between them: " + ", ".join(FIELDS) + ". "
            "With `body` an answer ends before it has more than 256 KiB of text.",
            extra_json_schema={"pattern": f"^(({_FIELD})(,({_FIELD}))*)?$"},
        ),
    ] = ""
    prefix: Annotated[
        str, Meta(max_length=1_000, description="Only pages whose paths begin so, such as `docs/guide`.")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=500, description="Pages of an answer, at most.")] = 100
    cursor: Annotated[str, CURSOR] = ""


class SearchQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A search of the site as it is now."""

    q: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1_000,
            description="Words, an exact name such as `--strict`, or a question; 200 characters count.",
        ),
    ]
    limit: Annotated[int, Meta(ge=1, le=50, description="Hits of an answer, at most.")] = 10
    cursor: Annotated[str, CURSOR] = ""


class SearchHit(Struct, frozen=True):
    """A page that answers a search, with its best section. Texts are content of the site."""

    path: PagePath
    url: Annotated[str, Meta(description="The section's public address from the site's root.")]
    title: Annotated[str, Meta(description="The page's title.")]
    section: Annotated[str, Meta(description="The section's heading; empty for a page's beginning.")]
    anchor: Annotated[
        str, Meta(description="The heading's id, for `section` of `GET /ai/page`; empty for a beginning.")
    ]
    excerpt: Annotated[str, Meta(description="A piece of the section's text, plain, with what was found.")]
    draft: Annotated[bool, Meta(description="Whether the page is a draft, which readers do not have.")]


class SearchResult(Struct, frozen=True):
    """The pages that answer a search, best first."""

    hits: Annotated[list[SearchHit], Meta(description="The pages, best first.")]
    indexed_pages: Annotated[
        int,
        Meta(
            description="How many pages the index has. Those that it lacks were looked through as plain text,"
            " and come last: each answer adds more to the index, so ask again for a better one."
        ),
    ]
    page_count: Annotated[int, Meta(description="How many pages the site has, drafts included.")]
    next_cursor: Annotated[str | None, NEXT_CURSOR]


class DiagnosticsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A question for diagnostics."""

    level: Annotated[
        Literal["", "error", "warning", "info"], Meta(description="Only those of this level.")
    ] = ""
    path: Annotated[
        str,
        Meta(
            max_length=1_000,
            description="Only those of files whose names begin so: `docs/guide`, or `site.yml`.",
        ),
    ] = ""
    code: Annotated[str, Meta(max_length=100, description="Only those of this code.")] = ""
    limit: Annotated[int, Meta(ge=1, le=500, description="Diagnostics of an answer, at most.")] = 100
    cursor: Annotated[str, CURSOR] = ""


class SiteFinding(Struct, frozen=True):
    """A diagnostic of the site, as `twinpress check` gives it."""

    code: Annotated[str, Meta(description="The kind of diagnostic.")]
    level: Annotated[
        Level, Meta(description="`error` breaks a reader's way, `warning`: content is changed or left out.")
    ]
    path: Annotated[
        str, Meta(description="The page that it is about; empty for settings, categories and other files.")
    ]
    file: Annotated[str, Meta(description="The file that it is about.")]
    line: Annotated[int, Meta(description="The line in that file, from 1; 0 for no single line.")]
    column: Annotated[int, Meta(description="The column in that line, from 1; 0 for none.")]
    message: Annotated[str, Meta(description="The problem.")]
    hint: Annotated[str, Meta(description="The way to solve it; empty when there is nothing to add.")]


class DiagnosticsResult(Struct, frozen=True):
    """The diagnostics of the site, by file and place."""

    diagnostics: Annotated[list[SiteFinding], Meta(description="The diagnostics, by file and place.")]
    counts: Annotated[
        LevelCounts, Meta(description="All that fit the filters, of the pages that were checked by now.")
    ]
    checked_pages: Annotated[
        int,
        Meta(
            description="How many pages were checked by now. Where it is less than `page_count`, go on with"
            " `next_cursor`, even after an answer without diagnostics."
        ),
    ]
    page_count: Annotated[int, Meta(description="How many pages the site has, drafts included.")]
    next_cursor: Annotated[str | None, NEXT_CURSOR]
