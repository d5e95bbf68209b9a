"""The endpoints of whole changes over HTTP, and the same as tools."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from server.api.authentication import Handler
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.changes.change_operations import ChangeOperations
from server.authoring.changes.change_results import ChangesResult, EditResult
from server.authoring.changes.change_structs import ApplyChanges, EditPage, MovePage
from server.authoring.handlers import by_body
from server.authoring.mcp_tools import ToolRow, change
from server.mcp.tools import DELETES, REPLACES, Tool, ToolResult, done, of_pages

CHANGES = Tool(
    "apply_changes",
    "Apply several changes as one",
    "Write, edit, delete and move pages, and change categories and redirects, as one change: whole or not at "
    "all. Links among its pages are right in any order. The answer has diagnostics of each page, with "
    "`outline` its outline too, and the effects on all others.",
    ApplyChanges,
    DELETES,
    rehearses=True,
)
EDIT = Tool(
    "edit_page",
    "Edit a page",
    "Replace exact text, or lines of a revision, in one page, and set fields of its frontmatter; every other "
    "byte stays.",
    EditPage,
    REPLACES,
    rehearses=True,
)
MOVE = Tool(
    "move",
    "Move a page or a folder",
    "Give a page or a folder another path. Links to it follow, and a redirect leads from the old address.",
    MovePage,
    REPLACES,
    rehearses=True,
)


def change_handlers(parts: AuthoringParts, operations: ChangeOperations) -> Mapping[str, Handler]:
    """Return the handler of each operation."""
    return {
        "changes": by_body(parts, ApplyChanges, operations.changes),
        "edit": by_body(parts, EditPage, operations.edit),
        "move": by_body(parts, MovePage, operations.move),
    }


def change_rows(operations: ChangeOperations) -> tuple[ToolRow, ...]:
    """Return the tools, in the order in which they are listed."""
    changes, edit = change(CHANGES, operations.changes), change(EDIT, operations.edit)
    return replace(changes, result=_told), replace(edit, result=_told), change(MOVE, operations.move)


def _told(found: ChangesResult | EditResult) -> ToolResult:
    """Return an answer, marked as content of pages where it has outlines: their texts are those of pages."""
    pages = found.pages if isinstance(found, ChangesResult) else [found]
    return of_pages(found) if any(page.outline for page in pages) else done(found)
