"""The operation that removes what is said of a folder."""

from __future__ import annotations

from msgspec import Struct

from builder.errors import TwinpressError
from builder.store import CategoryRecord
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.service import failure_of
from server.authoring.structs import Category, CategoryDeleted, DeleteCategory


class CategoryDeletion(Struct, frozen=True):
    """Removes records of folders of one site; their pages stay."""

    parts: AuthoringParts

    async def delete(self, asked: DeleteCategory, by: Caller) -> Reply:
        """Remove what is said of a folder; a rehearsal removes nothing."""
        by.permit()
        if asked.dry_run:
            record = await self.parts.read(lambda: self._read(asked.path))
            return Reply(_result(record, deleted=False))
        async with by.changing("category_delete"):
            record = await self.parts.write_queue.take(lambda: self._deleted(asked.path, by))
            self.parts.changed(record.path)
            return Reply(_result(record, deleted=True))

    def _read(self, path: str) -> CategoryRecord:
        try:
            return self.parts.store.category(path)
        except TwinpressError as error:
            raise failure_of(error) from error

    def _deleted(self, path: str, by: Caller) -> CategoryRecord:
        author = by.author
        try:
            return self.parts.store.delete_category(path, note=author.note, permit=author.permit)
        except TwinpressError as error:
            raise failure_of(error) from error


def _result(record: CategoryRecord, *, deleted: bool) -> CategoryDeleted:
    said = Category(record.path, record.label, record.position, record.collapsed)
    return CategoryDeleted(deleted, said)
