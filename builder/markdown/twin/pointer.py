"""The line at the beginning of a twin, as it is put out, that leads to the list of all pages.

Apart from what writes it, as those who read built sites know nothing of rendering.
"""

from __future__ import annotations

import re

_POINTER = re.compile(r"\A> [^\n]*\[llms\.txt\]\([^)\s]*llms\.txt\)[^\n]*\n+")


def without_pointer(twin: str) -> str:
    """Return what a page itself says in its twin."""
    return _POINTER.sub("", twin)
