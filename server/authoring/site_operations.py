"""All operations of one site: as handlers over HTTP, and as tools.

A layer above each part of the operations, so that a part need not know the others.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.api.authentication import Handler
from server.authoring.changes.change_handlers import change_handlers, change_rows
from server.authoring.changes.change_operations import ChangeOperations
from server.authoring.handlers import Handlers
from server.authoring.histories.history_handlers import history_handlers, history_rows
from server.authoring.histories.history_operations import HistoryOperations
from server.authoring.mcp_tools import MCP, mcp_endpoint, page_rows
from server.authoring.page_operations import PageOperations, SiteParts


def site_handlers(parts: SiteParts) -> Mapping[str, Handler]:
    """Return the handler of each operation of the API's table, and that of the tools."""
    pages, changes = PageOperations(parts), ChangeOperations(parts)
    histories = HistoryOperations(parts, changes)
    rows = (*page_rows(pages), *change_rows(changes), *history_rows(histories))
    return {
        **Handlers(pages).by_operation(),
        **change_handlers(parts, changes),
        **history_handlers(parts, histories),
        MCP: mcp_endpoint(parts, rows),
    }
