"""The authoring API as the document and the routes want it: its endpoints as one table, with an example each.

Knows no HTTP server. A test runs the examples in this order against a site of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.api.describe.table import Endpoint, Example, Group, Parameter, Schema, parameters_of
from server.authoring.changes.change_endpoints import CHANGE_ENDPOINTS, CHANGE_EXAMPLES
from server.authoring.error_meanings import MEANINGS
from server.authoring.field_types import PATH_SCHEMA, VALUE_SCHEMA
from server.authoring.histories.history_endpoints import HISTORY_ENDPOINTS, HISTORY_EXAMPLES
from server.authoring.lookup import lookup_endpoints
from server.authoring.lookup.lookup_endpoints import LIST, SECTION
from server.authoring.page_preview.preview_endpoints import PREVIEW_ENDPOINTS, PREVIEW_EXAMPLES
from server.authoring.site_matters.matter_endpoints import MATTER_ENDPOINTS, MATTER_EXAMPLES
from server.authoring.structs import (
    Category,
    DeleteResult,
    Finding,
    Guide,
    GuideQuery,
    InboundLink,
    Page,
    PageSummary,
    PutCategory,
    PutPage,
    PutResult,
    SiteResult,
    SiteSummary,
)
from server.http.error_codes import ALWAYS, OF_BODY

_CHANGE = ("INVALID_PATH", "PATH_CONFLICT", "STORAGE_FULL")

_PATH = Parameter(
    "path", "query", "The page's content path, without an extension.", PATH_SCHEMA, required=True
)
_DRY_RUN = Parameter(
    "dry_run",
    "query",
    "Writes nothing and gives the same answer, with status 200. `1` and `0` are accepted too.",
    {"enum": ["true", "false", "1", "0"], "default": "false"},
)
_DRY_RUN_DELETE = Parameter(
    _DRY_RUN.name, _DRY_RUN.place, "Removes nothing, and tells which links would break.", _DRY_RUN.schema
)
_IF_MATCH = Parameter(
    "If-Match",
    "header",
    "Change the page only if it has this revision, as the `ETag` of GET gives it; `*` stands for any. "
    "Else the answer is 412 and nothing is changed. A revision without its quotes is accepted too.",
    {"type": "string"},
)
_IF_NONE_MATCH = Parameter(
    "If-None-Match",
    "header",
    "With `*`, create the page only if there is none yet; else the answer is 412. With a revision, change it "
    "only if it has another one.",
    {"type": "string"},
)
_IF_CHANGED = Parameter(
    "If-None-Match",
    "header",
    "The `ETag` of an earlier answer. If the page still has this revision, the answer is 304 without a body.",
    {"type": "string"},
)

_SAME_PAGE = {"path": "$response.body#/data/path"}
"""How to go on with the page that was written."""

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "site",
        "GET",
        "/ai/site",
        "Read the site",
        "A summary of the site, and the list of all its pages, drafts included. With any parameter the list "
        "comes in parts, with the `fields` that are asked for.",
        SiteResult,
        parameters=LIST,
        successes={200: "The site and its pages."},
        headers=("Link",),
    ),
    Endpoint(
        "guide",
        "GET",
        "/ai/guide",
        "Read the guide",
        "What an agent needs to write good pages on this site, in at most 12 KiB: requests and how to work "
        "in few of them, paths, frontmatter, components. With `part` it is one part of that at length. With "
        "`Accept: text/markdown` it comes as markdown, without the envelope.",
        Guide,
        parameters=parameters_of(GuideQuery),
        successes={200: "The guide."},
        also="text/markdown",
        headers=("Vary",),
    ),
    Endpoint(
        "page",
        "GET",
        "/ai/page",
        "Read a page",
        "One page as it is stored. PUT accepts what GET returns: sending it back unchanged changes no byte. "
        "With `section` its `body` is that section alone, and `section` tells its lines.",
        Page,
        ("INVALID_PATH", "PAGE_NOT_FOUND", "SECTION_NOT_FOUND", "BODY_TOO_LARGE"),
        (_PATH, SECTION, _IF_CHANGED),
        successes={200: "The page.", 304: "The page is as it was, and the answer has no body."},
        headers=("ETag", "Link"),
    ),
    Endpoint(
        "put",
        "PUT",
        "/ai/page",
        "Write a page",
        "Creates the page, or replaces it when it exists. The whole page is replaced: fields that are left "
        "out are removed. Frontmatter at the start of `body` is read first; `frontmatter` wins for each key.",
        PutResult,
        (*OF_BODY, *_CHANGE, "REVISION_MISMATCH", "PAGE_LIMIT_REACHED"),
        (_DRY_RUN, _IF_MATCH, _IF_NONE_MATCH),
        PutPage,
        successes={200: "The page was replaced, or `dry_run` was asked for.", 201: "The page was created."},
        headers=("ETag", "Link"),
        links={"page": _SAME_PAGE, "delete": _SAME_PAGE},
    ),
    Endpoint(
        "delete",
        "DELETE",
        "/ai/page",
        "Remove a page",
        "Removes the page with its twin, and folders that this leaves empty. The answer lists the links of "
        "other pages, of header, footer and sidebar, and the redirects that lead nowhere now.",
        DeleteResult,
        (*_CHANGE, "PAGE_NOT_FOUND", "REVISION_MISMATCH"),
        (_PATH, _DRY_RUN_DELETE, _IF_MATCH),
        successes={200: "The page is gone, or `dry_run` was asked for."},
    ),
    Endpoint(
        "category",
        "POST",
        "/ai/category",
        "Change a category",
        "Sets label, position and state of a folder in the sidebar. Fields that are given are set, `null` "
        "clears a field, and other fields stay. The folder is created if it does not exist.",
        Category,
        (*OF_BODY, *_CHANGE),
        body=PutCategory,
        successes={200: "The category as it is now."},
        headers=("Link",),
    ),
    *lookup_endpoints.ENDPOINTS,
    *PREVIEW_ENDPOINTS,
    *MATTER_ENDPOINTS,
    *CHANGE_ENDPOINTS,
    *HISTORY_ENDPOINTS,
)

SITE: Mapping[str, str] = {
    "site.yml": "title: Harbour\ndescription: How to use Harbour.\nurl: https://harbour.example\n",
    "docs/start/_category_.yml": "label: Getting started\nposition: 1\n",
    "docs/start/install.mdx": (
        "---\ntitle: Install\ndescription: Install Harbour in a minute.\n---\n\nGet the [file](./download).\n"
    ),
    "docs/start/download.md": "---\ntitle: Download\n---\n\nThe newest release.\n",
}
"""The files of the site that the examples are about."""


_NEW = "docs/start/first-steps"

EXAMPLES: Mapping[str, Example] = {
    "site": Example(
        SiteResult(
            SiteSummary(
                id="4nXbT0cVzQ9LrW2d",
                title="Harbour",
                description="How to use Harbour.",
                url="https://harbour.example",
                plan="free",
                page_count=2,
                updated_at="2026-03-01T09:30:00+00:00",
                published_at=None,
                categories=[Category("docs/start", "Getting started", 1, None)],
            ),
            [
                PageSummary("docs/start/download", "Download", "md"),
                PageSummary("docs/start/install", "Install", "mdx"),
            ],
        )
    ),
    "guide": Example(Guide("# How to write this documentation\n\n...")),
    "page": Example(
        Page(
            "docs/start/install",
            "mdx",
            {"title": "Install", "description": "Install Harbour in a minute."},
            "Get the [file](./download).\n",
            None,
        ),
        parameters={"path": "docs/start/install"},
    ),
    "put": Example(
        PutResult(
            path=_NEW,
            format="mdx",
            url=f"/{_NEW}",
            created=True,
            revision="caf82382c39ffa5f62ff5adcecaed56b",
            diagnostics=[
                Finding(
                    "component-unknown",
                    "warning",
                    "body",
                    3,
                    1,
                    f"{_NEW}.mdx",
                    8,
                    "there is no component `Stepz`",
                    "did you mean `Step`?",
                )
            ],
        ),
        status=201,
        body=PutPage(
            path=_NEW,
            frontmatter={"title": "First steps", "description": "From nothing to a first boat."},
            body="[Install](./install) Harbour first.\n\n<Stepz>Then open it.</Stepz>\n",
        ),
    ),
    "delete": Example(
        DeleteResult(
            "docs/start/download",
            deleted=True,
            inbound_links=[InboundLink("docs/start/install", "docs/start/install.mdx", 6, 16)],
        ),
        parameters={"path": "docs/start/download"},
    ),
    "category": Example(
        Category("docs/start", "Begin here", 1, collapsed=False),
        body=PutCategory("docs/start", label="Begin here", collapsed=False),
    ),
    **lookup_endpoints.EXAMPLES,
    **CHANGE_EXAMPLES,
    **HISTORY_EXAMPLES,
    **PREVIEW_EXAMPLES,
    **MATTER_EXAMPLES,
}

_HEADERS: Mapping[str, Schema] = {
    "Link": {
        "description": "With the relation `preview`: where the page can be seen as it is now, drafts too: of "
        "a category its folder's page, of the site its home page. In a service it opens for the "
        "owner alone, who is signed in.",
        "schema": {"type": "string", "pattern": '^<[^<>]+>; rel="preview"$'},
    },
    "ETag": {
        "description": "The page's revision, for `If-Match`, when a page was read or written.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[^"]+"$'},
    },
    "Vary": {
        "description": "The form of the guide depends on `Accept`.",
        "required": True,
        "schema": {"const": "Accept"},
    },
}

GROUP = Group(
    name="pages",
    base="/pages",
    about="Reads and writes the pages of a documentation site. Each key opens one site.",
    meaning="The pages of one site.",
    scheme="key",
    keys="A key for one site: `dpk_` for one-off editing, valid for an hour, or `svc_docs_` for scripts and "
    "CI.",
    endpoints=ENDPOINTS,
    always=(*ALWAYS, "KEY_EXPIRED"),
    meanings=MEANINGS,
    examples=EXAMPLES,
    headers=_HEADERS,
    schemas={"Value": VALUE_SCHEMA},
)
