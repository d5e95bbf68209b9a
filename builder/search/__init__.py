"""Search: what a page adds to the index, and the index as files that a browser fetches piece by piece."""

from builder.search.index import Beside, Index, IndexUpdate, beside, changed, joined
from builder.search.part import Part, listed, page_part
from builder.search.postings import Gathering
from builder.search.shards import ENTRY, Arranged, Begun, File, begin, doc, finish, pages_a_file, shards

__all__ = [
    "ENTRY",
    "Arranged",
    "Begun",
    "Beside",
    "File",
    "Gathering",
    "Index",
    "IndexUpdate",
    "Part",
    "begin",
    "beside",
    "changed",
    "doc",
    "finish",
    "joined",
    "listed",
    "page_part",
    "pages_a_file",
    "shards",
]
