"""Search: what a page adds to the index, and the index as files that a browser fetches piece by piece."""

from builder.search.part import Part, listed, page_part
from builder.search.shards import ENTRY, shards

__all__ = ["ENTRY", "Part", "listed", "page_part", "shards"]
