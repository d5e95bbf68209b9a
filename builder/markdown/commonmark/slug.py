"""The id that is made of a heading's text, as GitHub makes it.

Apart from what parses headings: the search makes it of twins, where nothing that parses is loaded.
"""

from __future__ import annotations

import unicodedata

from builder.lazy_regex import lazy

_ASCII_DROPPED = lazy(r"[^a-z0-9_ -]")
_KEPT = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})


def slugify(text: str) -> str:
    """Lower case; letters, marks, digits, `_` and `-` are kept, spaces become `-`, the rest goes."""
    lower = text.strip().lower()
    if lower.isascii():
        return _ASCII_DROPPED.sub("", lower).replace(" ", "-")
    kept = (char for char in lower if char in " -" or unicodedata.category(char) in _KEPT)
    return "".join(kept).replace(" ", "-")
