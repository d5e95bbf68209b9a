"""The one gate to a site's files: nothing else in the builder reads or writes sources."""

from builder.categories import CategoryRecord
from builder.store.content import ContentStore
from builder.store.keeper import Announcement, FileChange, Keeper, Note
from builder.store.records import PAGE_LIMIT, PageFile, Scan, SiteFile, Source, Written
from builder.store.replacing import Replacement

__all__ = [
    "PAGE_LIMIT",
    "Announcement",
    "CategoryRecord",
    "ContentStore",
    "FileChange",
    "Keeper",
    "Note",
    "PageFile",
    "Replacement",
    "Scan",
    "SiteFile",
    "Source",
    "Written",
]
