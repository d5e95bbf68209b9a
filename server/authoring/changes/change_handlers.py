"""The endpoints of whole changes over HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.authentication import Handler
from server.authoring.changes.change_operations import ChangeOperations
from server.authoring.changes.change_structs import ApplyChanges, EditPage, MovePage
from server.authoring.handlers import by_body
from server.authoring.page_operations import SiteParts


def change_handlers(parts: SiteParts) -> Mapping[str, Handler]:
    """Return the handler of each operation."""
    operations = ChangeOperations(parts)
    return {
        "changes": by_body(parts, ApplyChanges, operations.changes),
        "edit": by_body(parts, EditPage, operations.edit),
        "move": by_body(parts, MovePage, operations.move),
    }
