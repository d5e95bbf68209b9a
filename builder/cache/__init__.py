"""What a build keeps for the next one: pages as they were read and made, and what lies in the output folder.

Everything is kept under a key of all that it was made of, so that nothing stale is ever used; whatever is
damaged is made anew. Nothing in it is a secret, and nothing is run when it is read.
"""

from builder.cache.cache import Cache, Use
from builder.cache.changes import Row
from builder.cache.entries import pack, unpack

__all__ = ["Cache", "Row", "Use", "pack", "unpack"]
