"""Keep what the next build can use: pages as read and as made, and the list of the output folder's files.

Pages are kept under a key of all that they were made of, and what is of the whole site is held against what
it was made with, so that nothing stale is ever used; whatever is damaged is made anew. Nothing in it is a
secret, and nothing is run when it is read.
"""

from builder.cache.cache import Cache, EarlierPage
from builder.cache.cache_file import Use
from builder.cache.entries import pack, unpack

__all__ = ["Cache", "EarlierPage", "Use", "pack", "unpack"]
