"""Tell the lists of a site for agents by their names: `llms.txt`, `llms-full.txt`, and the parts of either.

A part lies in the folder of its section, or has a number: `docs/guide/llms.txt`, `docs/guide/llms-2.txt`.
"""

from __future__ import annotations

import re

_INDEX = re.compile(r"(?:.*/)?llms(?:-[0-9]+)?\.txt")
_FULL = re.compile(r"(?:.*/)?llms-full(?:-[0-9]+)?\.txt")


def is_index(path: str) -> bool:
    """Return whether a path is that of the index of all pages, or of one of its parts."""
    return _INDEX.fullmatch(path) is not None


def is_list(path: str) -> bool:
    """Return whether a path is that of an index, or of the text of all or of some pages."""
    return is_index(path) or _FULL.fullmatch(path) is not None
