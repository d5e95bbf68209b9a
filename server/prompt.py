"""The prompt that an owner pastes into an agent, so that it can work on the pages of one site."""

from __future__ import annotations

import json
import shlex

API = "/api/v1/pages"

TEXT = """\
Work on a documentation site for me, over its HTTP API.

Base address: {base}
Key: {key}
{expiry}

Send the key with every request, as the header `Authorization: Bearer <key>`. It opens this one site and
nothing else. Keep it to yourself: write it into no file, page or log.

1. Read the guide first. It says which pages there may be, how to write them, and every component:

   {guide}

2. List the pages that there are:

   {pages}

3. Write a page. This creates it, or replaces it when it exists:

   {put}

Bodies and answers are JSON. An answer is {{"ok": true, "data": ...}}, or {{"ok": false, "error": ...,
"code": ...}}. When you have written a page, the answer has diagnostics: they name what to correct, and at
which line of the body.
"""


def prompt(address: str, key: str, minutes: int | None) -> str:
    """The prompt for the service at `address` (`http://127.0.0.1:8000`), with three calls to begin with.

    `minutes` is how long the key is still valid, None when it does not expire. The text ends with a newline.
    """
    base = address.rstrip("/") + API
    return TEXT.format(
        base=base,
        key=key,
        expiry=_expiry(minutes),
        guide=_curl(key, f"{base}/ai/guide", "-H", "Accept: text/markdown"),
        pages=_curl(key, f"{base}/ai/site"),
        put=_put(key, base),
    )


def _expiry(minutes: int | None) -> str:
    if minutes is None:
        return "The key does not expire."
    return f"The key expires in {minutes} {'minute' if minutes == 1 else 'minutes'}."


def _put(key: str, base: str) -> str:
    page = {"path": "docs/guide/hello", "frontmatter": {"title": "Hello"}, "body": "Text in **markdown**.\n"}
    arguments = ("-X", "PUT", "-H", "Content-Type: application/json", "-d", json.dumps(page))
    return _curl(key, f"{base}/ai/page", *arguments)


def _curl(key: str, url: str, *arguments: str) -> str:
    words = ("curl", "-sS", url, "-H", f"Authorization: Bearer {key}", *arguments)
    return shlex.join(words)


def mcp_lines(reading: str, address: str, key: str) -> tuple[str, ...]:
    """Lines for the settings of the usual clients of MCP: two to type, and the entries of two files.

    `reading` is the address of the tools that read, `address` that of the service. Without a `key` there are
    no tools that write.
    """
    add = ("claude", "mcp", "add", "--transport", "http")
    header = ("--header", f"Authorization: Bearer {key}")
    writes = shlex.join((*add, "docs-writing", f"{address.rstrip('/')}{API}/mcp", *header))
    vscode = {"servers": {"docs": {"type": "http", "url": reading}}}
    cursor = {"mcpServers": {"docs": {"url": reading}}}
    return (
        shlex.join((*add, "docs", reading)),
        *((writes,) if key else ()),
        f".vscode/mcp.json  {json.dumps(vscode)}",
        f".cursor/mcp.json  {json.dumps(cursor)}",
    )
