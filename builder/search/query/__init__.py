"""The search of a built site without a browser: the same answers from the same files.

`themes/default/search/` is the same in JavaScript; a test holds both to the same results.
"""

from builder.search.query.answers import FoundSection, Hit
from builder.search.query.excerpt import excerpt
from builder.search.query.index_files import IndexMissing
from builder.search.query.live_index import LiveIndex
from builder.search.query.search_index import SearchIndex

__all__ = ["FoundSection", "Hit", "IndexMissing", "LiveIndex", "SearchIndex", "excerpt"]
