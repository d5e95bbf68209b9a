"""The endpoints as one table: the routes are made of it, and so is the document that describes them.

Knows no HTTP server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from server.pages.failure import STATUS
from server.pages.structs import (
    PATH_SCHEMA,
    Category,
    DeleteResult,
    Guide,
    Page,
    PutCategory,
    PutPage,
    PutResult,
    SiteResult,
)

PREFIX = "/api/"
VERSION_BASE = "/api/v1"
PAGES = "/pages"
BASE = VERSION_BASE + PAGES
DOCUMENT = f"{VERSION_BASE}/openapi.json"
"""Where the document is; it alone needs no key and has no envelope."""

Schema = Mapping[str, Any]
Method = Literal["GET", "PUT", "POST", "DELETE"]


class Parameter(Struct, frozen=True):
    """What a request says beside its path and body. `schema` is a JSON schema."""

    name: str
    place: Literal["query", "header"]
    meaning: str
    schema: Schema
    required: bool = False


class Endpoint(Struct, frozen=True):
    """One request. `path` is below `PAGES`; `operation` is the name of the handler that answers.

    `successes` gives what each good status means, `codes` what can go wrong with it beside what can go wrong
    with any request. `also` is a media type in which the answer can be had without its envelope; with
    `revision` the answer has an `ETag`.
    """

    operation: str
    method: Method
    path: str
    summary: str
    meaning: str
    result: type[Struct]
    codes: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    body: type[Struct] | None = None
    successes: Mapping[int, str] = field(default_factory=lambda: {200: "It is done."})
    also: str = ""
    revision: bool = False

    @property
    def query(self) -> tuple[str, ...]:
        """The names that its query may have."""
        return tuple(one.name for one in self.parameters if one.place == "query")


_OF_ALL = ("BAD_REQUEST", "INVALID_QUERY", "UNKNOWN_HOST")
_ANY_OF = frozenset({401, 405, 429, 500, 503})
COMMON = tuple(code for code, status in STATUS.items() if code in _OF_ALL or status in _ANY_OF)
"""What can go wrong with any request."""

_BODY = ("INVALID_JSON", "INVALID_BODY", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "REQUEST_TIMEOUT")
_CHANGE = ("INVALID_PATH", "PATH_CONFLICT", "STORAGE_FULL")

_PATH = Parameter(
    "path", "query", "The page's content path, without an extension.", PATH_SCHEMA, required=True
)
_DRY_RUN = Parameter(
    "dry_run",
    "query",
    "Writes nothing and gives the same answer, with status 200. `1` and `0` are taken too.",
    {"enum": ["true", "false", "1", "0"], "default": "false"},
)
_IF_MATCH = Parameter(
    "If-Match",
    "header",
    "Change the page only if it has this revision, as the `ETag` of GET gives it; `*` stands for any. "
    "Else the answer is 412 and nothing is changed. A revision is taken without its quotes, too.",
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

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "site",
        "GET",
        "/ai/site",
        "Read the site",
        "A summary of the site, and the list of all its pages, drafts included.",
        SiteResult,
        successes={200: "The site and its pages."},
    ),
    Endpoint(
        "guide",
        "GET",
        "/ai/guide",
        "Read the guide",
        "What an agent needs to write good pages on this site: path rules, frontmatter, every component with "
        "an example. With `Accept: text/markdown` it comes as markdown, without the envelope.",
        Guide,
        successes={200: "The guide."},
        also="text/markdown",
    ),
    Endpoint(
        "page",
        "GET",
        "/ai/page",
        "Read a page",
        "One page as it is stored. PUT takes what GET gives: sending it back unchanged changes no byte.",
        Page,
        ("INVALID_PATH", "PAGE_NOT_FOUND", "BODY_TOO_LARGE"),
        (_PATH, _IF_CHANGED),
        successes={200: "The page.", 304: "The page is as it was, and the answer has no body."},
        revision=True,
    ),
    Endpoint(
        "put",
        "PUT",
        "/ai/page",
        "Write a page",
        "Creates the page, or replaces it when it exists. The whole page is replaced: what is left out is "
        "removed. Frontmatter at the start of `body` is read first, and `frontmatter` wins for each key.",
        PutResult,
        (*_BODY, *_CHANGE, "REVISION_MISMATCH", "PAGE_LIMIT_REACHED"),
        (_DRY_RUN, _IF_MATCH, _IF_NONE_MATCH),
        PutPage,
        successes={200: "The page was replaced, or `dry_run` was asked for.", 201: "The page was created."},
        revision=True,
    ),
    Endpoint(
        "delete",
        "DELETE",
        "/ai/page",
        "Remove a page",
        "Removes the page with its twin, and folders that this leaves empty. The answer lists the links of "
        "other pages that lead nowhere now.",
        DeleteResult,
        (*_CHANGE, "PAGE_NOT_FOUND", "REVISION_MISMATCH"),
        (_PATH, _IF_MATCH),
        successes={200: "The page is gone."},
    ),
    Endpoint(
        "category",
        "POST",
        "/ai/category",
        "Change a category",
        "Sets label, position and state of a folder in the sidebar. Fields that are given are set, `null` "
        "clears one, and what is left out stays. The folder is made if it is not there.",
        Category,
        (*_BODY, *_CHANGE),
        body=PutCategory,
        successes={200: "The category as it is now."},
    ),
)


def by_path() -> Mapping[str, Mapping[str, Endpoint]]:
    """Each path with its methods, in the order of the table."""
    found: dict[str, dict[str, Endpoint]] = {}
    for endpoint in ENDPOINTS:
        found.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    return found
