"""The one gate to a site's files: nothing else in the builder reads or writes sources."""

from builder.category.record import CategoryRecord
from builder.store.content import ContentStore
from builder.store.folder_listing import FolderListing
from builder.store.keeper import ChangeAnnouncement, ChangeNote, FileChange, Keeper, KeptBytes
from builder.store.limits import PAGE_LIMIT
from builder.store.records import (
    FRESH,
    FileState,
    PageFile,
    Scan,
    SiteFile,
    Source,
    Written,
    state_of,
)
from builder.store.restore import Replacement
from builder.store.scan_findings import KnownCategory

__all__ = [
    "FRESH",
    "PAGE_LIMIT",
    "CategoryRecord",
    "ChangeAnnouncement",
    "ChangeNote",
    "ContentStore",
    "FileChange",
    "FileState",
    "FolderListing",
    "Keeper",
    "KeptBytes",
    "KnownCategory",
    "PageFile",
    "Replacement",
    "Scan",
    "SiteFile",
    "Source",
    "Written",
    "state_of",
]
