"""The two forms of the guide, made of one text: of requests over HTTP, and of tools over MCP.

The text names requests, such as `GET /ai/search?q=`. Over MCP each becomes the tool that does the same, such
as `search_pages(q)`; of `[[one|other]]` the first is for HTTP, the second for MCP.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

GuideForm = Literal["http", "mcp"]

TOOLS = {
    "GET /ai/site": "read_site",
    "GET /ai/guide": "read_guide",
    "GET /ai/page": "read_page",
    "PUT /ai/page": "write_page",
    "DELETE /ai/page": "delete_page",
    "POST /ai/category": "change_category",
    "DELETE /ai/category": "delete_category",
    "GET /ai/search": "search_pages",
    "GET /ai/diagnostics": "check_site",
    "GET /ai/preview": "look_at_page",
    "GET /ai/redirects": "read_redirects",
    "PUT /ai/redirects": "change_redirects",
    "GET /ai/navigation": "read_navigation",
    "PUT /ai/navigation": "change_navigation",
    "POST /ai/changes": "apply_changes",
    "POST /ai/edit": "edit_page",
    "POST /ai/move": "move",
    "GET /ai/history": "read_history",
    "POST /ai/undo": "undo",
}
"""The tool that does the same as a request; a new endpoint needs its tool here."""
_CHOICE = re.compile(r"\[\[(.*?)\|(.*?)\]\]", re.DOTALL)
_REQUEST = re.compile(r"([`\"])((?:GET|PUT|POST|DELETE) /ai/\w+)(?:\?([^`\"]*))?\1")
_VALUES = frozenset({"true", "false"})
"""Values that are no texts."""


def chosen(text: str, form: GuideForm) -> str:
    """Return a text of ours with the words that are for a form, and still with requests."""
    return _CHOICE.sub(lambda found: found[1 if form == "http" else 2], text)


def in_form(text: str, form: GuideForm) -> str:
    """Return a text of ours in a form: over MCP with tools in the place of requests."""
    own = chosen(text, form)
    return own if form == "http" else _REQUEST.sub(_tool, own)


def _tool(found: re.Match[str]) -> str:
    asked = ", ".join(_arguments(found[3])) if found[3] else ""
    return f"{found[1]}{TOOLS[found[2]]}{f'({asked})' if asked else ''}{found[1]}"


def _arguments(query: str) -> Iterator[str]:
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        text = value if value in _VALUES or value.isdigit() else f"'{value}'"
        yield f"{name}={text}" if value else name
