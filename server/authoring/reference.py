"""The page of Twinpress's own documentation that lists the authoring API.

`python -m server.authoring.reference DIR` writes it below the documentation folder DIR.
"""

from __future__ import annotations

import sys

from server.api.describe.reference import page
from server.api.describe.write_reference import write_page
from server.authoring.group import GROUP

PAGE = "reference/authoring-api.mdx"
ADDRESS = "http://127.0.0.1:8000"
_HEAD = """\
---
title: Authoring API
description: Every endpoint by which agents and scripts read and write the pages of a site.
sidebar_position: 7
---

[`twinpress serve`](./command-line/serve.mdx) answers these requests while it runs. To begin with, read
[Let an agent write](../writing/agents.mdx). For programs, the same is in an OpenAPI 3.1 document at
`/api/v1/openapi.json`, which needs no key.

Each request has a [key](./command-line/key.mdx) in the header `Authorization: Bearer <KEY>`. The key opens
one site. Bodies are JSON. Each answer is `{"ok": true, "data": ...}` or
`{"ok": false, "error": "...", "code": "..."}`.

## Endpoints
"""


def written() -> str:
    """The page's source."""
    return page(GROUP, _HEAD, ADDRESS)


def main(arguments: list[str]) -> int:
    """Write the page; one argument, the documentation folder."""
    return write_page(arguments, "server.authoring.reference", PAGE, written())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
