"""What to write where a JSON file could not be read."""

from __future__ import annotations

import json
import re

FALLBACK = "look for a comma, a quote or a bracket that is missing here or in the line before"

_HINTS = {
    "Expecting property name": "put names into double quotes",
    "Expecting ',' delimiter": "put a comma between two fields, and `}` at the end",
    "Expecting ':' delimiter": "put a colon between a name and its value",
    "Expecting value": "put texts into double quotes; there are no comments in JSON",
    "Unterminated string": 'close it with another `"`',
    "Invalid control character": r"write `\n` for a line break within a text",
    "Invalid \\escape": r"write `\\` for a backslash",
    "Extra data": "leave out what comes after the closing `}`",
}
_TRAILING_COMMA = re.compile(r",\s*\Z")
_NO_NUMBER = re.compile(r"(?<=[:,\[])\s*(-?(?:NaN|Infinity))\b")


def hint(error: json.JSONDecodeError) -> str:
    """The way out of a fault, by the parser's words and the text before it."""
    before = error.doc[: error.pos + 1].rstrip()
    if before[-1:] in {"}", "]", ","} and _TRAILING_COMMA.search(before.rstrip("}]")):
        return "delete the comma after the last field"
    return next((way for words, way in _HINTS.items() if error.msg.startswith(words)), FALLBACK)


def no_number(text: str) -> int:
    """Where the first `NaN` or `Infinity` stands."""
    found = _NO_NUMBER.search(text)
    return found.start(1) if found else 0
