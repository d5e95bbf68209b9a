"""Search: what a page adds to the index, and the index as files that a browser fetches piece by piece."""

from builder.search.index import Index, IndexUpdate, UnplacedIndex, changed, place_index, unplaced_index
from builder.search.part import Part, listed, page_part
from builder.search.postings import Gathering
from builder.search.shards import (
    ENTRY,
    Arranged,
    Begun,
    File,
    begin,
    doc,
    finish,
    finished,
    pages_a_file,
    shards,
    twins_of,
)

__all__ = [
    "ENTRY",
    "Arranged",
    "Begun",
    "File",
    "Gathering",
    "Index",
    "IndexUpdate",
    "Part",
    "UnplacedIndex",
    "begin",
    "changed",
    "doc",
    "finish",
    "finished",
    "listed",
    "page_part",
    "pages_a_file",
    "place_index",
    "shards",
    "twins_of",
    "unplaced_index",
]
