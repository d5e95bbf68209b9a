"""The pages of Twinpress's own documentation that list the authoring API.

`python -m server.authoring.reference DIR` writes them below the documentation folder DIR. An agent reads some
50,000 characters of a page at once, so that each part of the API has a page of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from msgspec import Struct

from server.api.describe.reference import page, part
from server.api.describe.table import Endpoint
from server.api.describe.write_reference import write_page
from server.authoring.changes.change_endpoints import CHANGE_ENDPOINTS
from server.authoring.group import GROUP
from server.authoring.histories.history_endpoints import HISTORY_ENDPOINTS
from server.authoring.lookup import lookup_endpoints
from server.authoring.page_preview.preview_endpoints import PREVIEW_ENDPOINTS
from server.authoring.site_matters.matter_endpoints import MATTER_ENDPOINTS

PAGE = "reference/authoring-api.mdx"
ADDRESS = "http://127.0.0.1:8000"
_HEAD = """\
---
title: Authoring API
description: The endpoints by which agents and scripts read and write the pages of a site.
sidebar_position: 7
---

[`twinpress serve`](./command-line/serve.mdx) answers these requests while it runs. To begin with, read
[Let an agent write](../writing/agents.mdx). For programs, the same is in an OpenAPI 3.1 document at
`/api/v1/openapi.json`, which needs no key.

Each request has a [key](./command-line/key.mdx) in the header `Authorization: Bearer <KEY>`. The key opens
one site. Bodies are JSON. Each answer is `{"ok": true, "data": ...}` or
`{"ok": false, "error": "...", "code": "..."}`.

Five more pages have the other endpoints: [whole changes](./authoring-api-changes.mdx),
[edits and moves](./authoring-api-edits.mdx), [history and undo](./authoring-api-history.mdx),
[search and looks](./authoring-api-search.mdx), and
[redirects and navigation](./authoring-api-navigation.mdx).

## Endpoints
"""


class ReferencePart(Struct, frozen=True):
    """A page with a part of the endpoints."""

    title: str
    description: str
    position: float
    endpoints: Sequence[Endpoint]

    @property
    def names(self) -> frozenset[str]:
        """The names of its operations."""
        return frozenset(each.operation for each in self.endpoints)

    @property
    def head(self) -> str:
        """The beginning of the page."""
        fields = f"title: {self.title}\ndescription: {self.description}\nsidebar_position: {self.position}"
        return (
            f"---\n{fields}\n---\n\nThese endpoints are part of the [authoring API](./authoring-api.mdx), "
            "which has the rules for all of them, the headers of answers and every error code.\n\n"
            "## Endpoints\n"
        )


PARTS: Mapping[str, ReferencePart] = {
    "reference/authoring-api-changes.mdx": ReferencePart(
        "Authoring API, changes",
        "Write, edit, move and delete several pages as one change, with categories and redirects.",
        7.1,
        CHANGE_ENDPOINTS[:1],
    ),
    "reference/authoring-api-edits.mdx": ReferencePart(
        "Authoring API, edits and moves",
        "Edit a page by its exact text or by lines, and move a page or a folder.",
        7.12,
        CHANGE_ENDPOINTS[1:],
    ),
    "reference/authoring-api-history.mdx": ReferencePart(
        "Authoring API, history and undo",
        "Read what was changed, and take back what a key did.",
        7.15,
        HISTORY_ENDPOINTS,
    ),
    "reference/authoring-api-search.mdx": ReferencePart(
        "Authoring API, search and looks",
        "Search the site as it is now, check all of it, and look at a page as readers see it.",
        7.2,
        (*lookup_endpoints.ENDPOINTS, *PREVIEW_ENDPOINTS),
    ),
    "reference/authoring-api-navigation.mdx": ReferencePart(
        "Authoring API, redirects and navigation",
        "Read and change redirects, the header, the footer and the sidebar.",
        7.3,
        MATTER_ENDPOINTS,
    ),
}
"""The pages beside the first, by their files."""


def written() -> Mapping[str, str]:
    """Return the sources of the pages by their files."""
    elsewhere = frozenset[str]().union(*(each.names for each in PARTS.values()))
    others = {file: part(GROUP, each.head, ADDRESS, each.names) for file, each in PARTS.items()}
    return {PAGE: page(GROUP, _HEAD, ADDRESS, elsewhere), **others}


def main(arguments: list[str]) -> int:
    """Write the pages; one argument, the documentation folder."""
    return max(
        write_page(arguments, "server.authoring.reference", file, text) for file, text in written().items()
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
