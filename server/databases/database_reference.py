"""The page of Twinpress's own documentation that lists the databases API.

`python -m server.databases.database_reference DIR` writes it below the documentation folder DIR.
"""

from __future__ import annotations

import sys

from server.api.describe.reference import page
from server.api.describe.write_reference import write_page
from server.databases.database_group import GROUP

PAGE = "reference/databases-api.mdx"
ADDRESS = "http://127.0.0.1:8080"
_HEAD = """\
---
title: Databases API
description: Every endpoint by which scripts list and create databases, and reveal and rotate passwords.
sidebar_position: 8
---

[`twinpress host`](./command-line/host.mdx) answers these requests. To begin with, read
[Manage databases from a script](../hosting/scripts.mdx). For programs, the same is in an OpenAPI 3.1 document
at `/api/v1/openapi.json`, which needs no key.

Each request has a [management key](../hosting/scripts.mdx#keys) in the header `Authorization: Bearer <KEY>`.
The key opens the databases of one account. Bodies are JSON. Each answer is `{"ok": true, "data": ...}` or
`{"ok": false, "error": "...", "code": "..."}`.

To delete a database or to manage keys is [not for a key](#what-no-key-may-do): the operator of the service
does it, with [`twinpress admin`](./command-line/admin.mdx).

## Endpoints
"""


def written() -> str:
    """The page's source."""
    return page(GROUP, _HEAD, ADDRESS)


def main(arguments: list[str]) -> int:
    """Write the page; one argument, the documentation folder."""
    return write_page(arguments, "server.databases.database_reference", PAGE, written())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
