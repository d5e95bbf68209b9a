"""All operations of one site: as handlers over HTTP, and as tools.

A layer above each part of the operations, so that a part need not know the others.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.api.authentication import Handler
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.changes.change_handlers import change_handlers, change_rows
from server.authoring.changes.change_operations import ChangeOperations
from server.authoring.handlers import Handlers
from server.authoring.histories.history_handlers import history_handlers, history_rows
from server.authoring.histories.history_operations import HistoryOperations
from server.authoring.lookup.lookup_handlers import lookup_handlers, lookup_rows
from server.authoring.lookup.lookup_operations import LookupOperations
from server.authoring.mcp_tools import MCP, mcp_endpoint, page_rows
from server.authoring.page_operations import PageOperations
from server.authoring.page_preview.preview_handlers import LookHandlers, preview_rows
from server.authoring.page_preview.preview_operations import PreviewOperations
from server.authoring.site_matters.matter_handlers import matter_handlers, matter_rows


def site_handlers(parts: AuthoringParts) -> Mapping[str, Handler]:
    """Return the handler of each operation of the API's table, and that of the tools."""
    pages, changes, previews = PageOperations(parts), ChangeOperations(parts), PreviewOperations(parts)
    lookups = LookupOperations(parts)
    histories = HistoryOperations(parts, changes)
    rows = (
        *page_rows(pages, lookups),
        *lookup_rows(lookups),
        *change_rows(changes),
        *matter_rows(parts),
        *history_rows(histories),
        *preview_rows(previews),
    )
    return {
        **Handlers(pages, lookups).by_operation(),
        **lookup_handlers(lookups),
        **change_handlers(parts, changes),
        **history_handlers(parts, histories),
        **matter_handlers(parts),
        **LookHandlers(previews).by_operation(),
        MCP: mcp_endpoint(parts, rows),
    }
