"""The rows of the API's table about looking things up, with an example each."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.describe.table import Endpoint, Example, Parameter, parameters_of
from server.authoring.lookup.lookup_structs import (
    DiagnosticsQuery,
    DiagnosticsResult,
    SearchHit,
    SearchQuery,
    SearchResult,
    SiteFinding,
    SiteQuery,
)
from server.authoring.structs import LevelCounts

SECTION = Parameter(
    "section",
    "query",
    "The id or the text of a heading: gives only what it heads, with its place among the lines of the body.",
    {"type": "string", "maxLength": 300},
)
"""A parameter of reading a page."""
LIST = parameters_of(SiteQuery)
"""The parameters of reading the site."""

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "search",
        "GET",
        "/ai/search",
        "Search the site",
        "Pages that answer words or a question, each with its best section: the site's own search over the "
        "site as it is now, with drafts and with what is not published yet.",
        SearchResult,
        parameters=parameters_of(SearchQuery),
        successes={200: "The hits, best first."},
    ),
    Endpoint(
        "diagnostics",
        "GET",
        "/ai/diagnostics",
        "Check the site",
        "The diagnostics of the whole site, with those of `site.yml`, `sidebar.yml` and categories, as "
        "`twinpress check` gives them. A large site is checked over several requests.",
        DiagnosticsResult,
        parameters=parameters_of(DiagnosticsQuery),
        successes={200: "The diagnostics."},
    ),
)

EXAMPLES: Mapping[str, Example] = {
    "search": Example(
        SearchResult(
            [
                SearchHit(
                    "docs/start/install",
                    "/docs/start/install",
                    "Install",
                    "",
                    "",
                    "Install Harbour in a minute. Get the file.",
                    draft=False,
                )
            ],
            indexed_pages=2,
            page_count=2,
            next_cursor=None,
        ),
        parameters={"q": "file"},
    ),
    "diagnostics": Example(
        DiagnosticsResult(
            [
                SiteFinding(
                    "broken-link",
                    "error",
                    "docs/start/install",
                    "docs/start/install.mdx",
                    6,
                    16,
                    "there is no page or file `/docs/start/download`",
                    "",
                )
            ],
            LevelCounts(error=1),
            checked_pages=2,
            page_count=2,
            next_cursor=None,
        ),
        parameters={"level": "error"},
    ),
}
