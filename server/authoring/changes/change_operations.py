"""The operations that change several pages at once, edit a page, or move pages: structs in, replies out."""

from __future__ import annotations

from msgspec import Struct

from server.authoring.calls import Caller, Reply
from server.authoring.changes.change_structs import ApplyChanges, EditPage, MovePage
from server.authoring.page_operations import SiteParts


class ChangeOperations(Struct, frozen=True):
    """Whole changes of one site; a rehearsal changes nothing, and replies the same."""

    parts: SiteParts

    async def changes(self, asked: ApplyChanges, by: Caller, rehearsal: bool) -> Reply:
        """Make all operations as one change, or none of them."""
        raise NotImplementedError

    async def edit(self, asked: EditPage, by: Caller, rehearsal: bool) -> Reply:
        """Edit one page."""
        raise NotImplementedError

    async def move(self, asked: MovePage, by: Caller, rehearsal: bool) -> Reply:
        """Move a page or a folder."""
        raise NotImplementedError
