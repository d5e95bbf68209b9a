"""The line at the beginning of a twin, as it is put out, that leads to the list of all pages.

Apart from what writes it, as those who read built sites know nothing of rendering.
"""

from __future__ import annotations

import re

_INDEX = "llms.txt"
_LINK, _BLANK = f"[{_INDEX}](", re.compile(r"\s")


def without_pointer(twin: str) -> str:
    """Return what a page itself says in its twin, in time that grows with the first line alone."""
    line, end, rest = twin.partition("\n")
    if not (end and line.startswith("> ")):
        return twin
    for piece in line.split(_LINK)[1:]:
        address, closed, _ = piece.partition(")")
        if closed and address.endswith(_INDEX) and _BLANK.search(address) is None:
            return rest.lstrip("\n")
    return twin
