"""Search: what a page adds to the index, and the index as files that a browser fetches piece by piece."""

from builder.search.index import MOST_CHANGED, Change, Index, IndexUpdate, changed, index_of
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
    is_of_terms,
    pages_a_file,
    shards,
    twins_of,
)

__all__ = [
    "ENTRY",
    "MOST_CHANGED",
    "Arranged",
    "Begun",
    "Change",
    "File",
    "Gathering",
    "Index",
    "IndexUpdate",
    "Part",
    "begin",
    "changed",
    "doc",
    "finish",
    "finished",
    "index_of",
    "is_of_terms",
    "listed",
    "page_part",
    "pages_a_file",
    "shards",
    "twins_of",
]
