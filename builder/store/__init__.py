"""The one gate to a site's files: nothing else in the builder reads or writes sources."""

from builder.categories import CategoryRecord
from builder.store.content import ContentStore
from builder.store.records import PAGE_LIMIT, PageFile, Scan, SiteFile, Source, Written

__all__ = [
    "PAGE_LIMIT",
    "CategoryRecord",
    "ContentStore",
    "PageFile",
    "Scan",
    "SiteFile",
    "Source",
    "Written",
]
