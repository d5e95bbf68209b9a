"""Search: what a page adds to the index, and the index as files that a browser fetches piece by piece."""

from builder.search.index import Index, Made, changed, made
from builder.search.part import Part, listed, page_part
from builder.search.postings import Gathering
from builder.search.shards import ENTRY, Begun, File, doc, pages_a_file, shards

__all__ = [
    "ENTRY",
    "Begun",
    "File",
    "Gathering",
    "Index",
    "Made",
    "Part",
    "changed",
    "doc",
    "listed",
    "made",
    "page_part",
    "pages_a_file",
    "shards",
]
