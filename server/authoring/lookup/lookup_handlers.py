"""The endpoints that look things up over HTTP, and the same as tools."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.authentication import Handler
from server.authoring.handlers import by_query
from server.authoring.lookup.lookup_operations import LookupOperations
from server.authoring.lookup.lookup_structs import DiagnosticsQuery, SearchQuery
from server.authoring.mcp_tools import ToolRow, look
from server.mcp.tools import Tool

SEARCH = Tool(
    "search_pages",
    "Search the pages",
    "Search the site as it is now, drafts too: pages with their best section and an excerpt.",
    SearchQuery,
)
DIAGNOSTICS = Tool(
    "check_site",
    "Check the whole site",
    "List what is wrong with the pages, the settings and the categories, as `twinpress check` does.",
    DiagnosticsQuery,
)


def lookup_handlers(operations: LookupOperations) -> Mapping[str, Handler]:
    """Return the handler of each operation."""
    return {
        "search": by_query(SearchQuery, operations.search),
        "diagnostics": by_query(DiagnosticsQuery, operations.diagnostics),
    }


def lookup_rows(operations: LookupOperations) -> tuple[ToolRow, ...]:
    """Return the tools, in the order in which they are listed."""
    return look(SEARCH, operations.search), look(DIAGNOSTICS, operations.diagnostics)
