"""The value of an attribute's `{...}` that is data: strings, numbers, booleans, and arrays of those.

value   = item | "[" [ item { "," item } [ "," ] ] "]"
item    = string | number | "true" | "false"
string  = '"' ... '"' | "'" ... "'" | "`" ... "`"      (a template without "${")
"""

from __future__ import annotations

import re

from builder.lazy_regex import lazy

Item = str | int | float | bool
Value = Item | tuple[Item, ...]

_ITEM = lazy(
    r"""\s*(?:
      (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`)
    | (?P<number>[-+]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15}))
    | (?P<flag>true|false)
    )\s*""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = lazy(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\n)|(.))", re.DOTALL)
_MORE = lazy(r"\S")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def literal(source: str) -> Value | None:
    """The value that `source`, the text between the braces, stands for; None when it is no plain data."""
    found = _ITEM.fullmatch(source)
    if found:
        return _item(found)
    inner = source.strip()
    if inner.startswith("[") and inner.endswith("]"):
        return _array(inner[1:-1])
    return None


def _array(inner: str) -> tuple[Item, ...] | None:
    items: list[Item] = []
    pos = 0
    while _MORE.search(inner, pos):
        found = _ITEM.match(inner, pos)
        if found is None or (found.end() < len(inner) and inner[found.end()] != ","):
            return None
        items.append(_item(found))
        pos = found.end() + 1
    return tuple(items)


def _item(found: re.Match[str]) -> Item:
    if found["string"]:
        return _ESCAPE.sub(_unescape, found["string"][1:-1])
    if found["flag"]:
        return found["flag"] == "true"
    number = found["number"]
    return float(number) if "." in number else int(number)


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        number = int(code, 16)
        valid = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
        return chr(number) if valid else "\ufffd"
    return "" if found[4] else _SHORT.get(found[5], found[5])
