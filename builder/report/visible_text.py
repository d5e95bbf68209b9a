"""Text from a site made harmless and readable for a terminal.

A source may hold escape sequences that would move the cursor or rename the window, and bidi controls
that would show another line than the one that is there. Such characters are shown by their name.
"""

from __future__ import annotations

import unicodedata

TAB = "    "
_JOINERS = frozenset("\u200c\u200d")  # part of emoji and of words in many scripts
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def visible(text: str) -> str:
    """`text` with every character that is not plainly printable replaced: `␛`, `<U+202E>`, tabs by spaces."""
    if text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def width(text: str) -> int:
    """Count the terminal cells that visible text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    code = ord(character)
    if character == "\t":
        return TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) == "Zs":
        return " "
    return f"<U+{code:04X}>"


def _cells(character: str) -> int:
    if unicodedata.category(character) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
