"""The endpoints of the history over HTTP, and the same as tools."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.authentication import Handler
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.handlers import by_body, by_query
from server.authoring.histories.history_operations import HistoryOperations
from server.authoring.histories.history_structs import HistoryQuery, UndoChanges
from server.authoring.mcp_tools import ToolRow, change, look
from server.mcp.tools import DELETES, Tool

HISTORY = Tool(
    "read_history",
    "Read the history",
    "List the changes of a page or a folder, or all changes of your own key, newest first.",
    HistoryQuery,
)
UNDO = Tool(
    "undo",
    "Undo changes of your own",
    "Undo the last change of your key, or others by their ids, as one change. Where others have changed "
    "the same files since, nothing is undone.",
    UndoChanges,
    DELETES,
    rehearses=True,
)


def history_handlers(parts: AuthoringParts, operations: HistoryOperations) -> Mapping[str, Handler]:
    """Return the handler of each operation."""
    return {
        "history": by_query(HistoryQuery, operations.history),
        "undo": by_body(parts, UndoChanges, operations.undo),
    }


def history_rows(operations: HistoryOperations) -> tuple[ToolRow, ...]:
    """Return the tools, in the order in which they are listed."""
    return look(HISTORY, operations.history), change(UNDO, operations.undo)
