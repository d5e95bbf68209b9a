"""The characters that a match of a regular expression can begin with, read from its pattern.

A set is a number with a bit for each character of ASCII, and one for the end of the text. Each part of a
pattern has two: what can follow when it takes something, and what can follow when it takes nothing. Both may
hold too much, but never too little: what is not understood here can begin with anything. Other characters
than those of ASCII are not looked at.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, reduce
from importlib import import_module
from operator import or_
from typing import Any

# Types know nothing of the module that `re` itself reads patterns with.
_parse: Callable[[str, int], Iterable[Any]] = import_module("re._parser").parse

Node = tuple[Any, Any]
Found = tuple[int, int]
"""The bits when something is taken, and those when nothing is."""

END = 1 << 128
_CHARS = END - 1
_ANYTHING: Found = (_CHARS, _CHARS | END)
_NOTHING_TAKEN: Found = (0, _CHARS | END)


def _bits(chars: Iterable[str]) -> int:
    return sum(1 << ord(char) for char in set(chars))


_ASCII = list(map(chr, range(128)))
_NEWLINE = _bits("\n")
_DIGIT, _WORD = _bits(string.digits), _bits(f"{string.ascii_letters}{string.digits}_")
_SPACE, _ASCII_SPACE = _bits(filter(str.isspace, _ASCII)), _bits(string.whitespace)
_FOLDS = _bits("iIkKsS")
"""Letters that stand for one beyond ASCII too (such as the sign of Kelvin), where case is ignored."""


@lru_cache(maxsize=4096)
def first(pattern: re.Pattern[str]) -> int:
    """The characters, and perhaps the end, before which the pattern can match. Total."""
    taken, empty = _sequence(_parse(pattern.pattern, pattern.flags), pattern.flags)
    return taken | empty


def _sequence(nodes: Iterable[Node], flags: int) -> Found:
    taken, empty = 0, _CHARS | END
    for name, value in nodes:
        one, none = _READERS.get(str(name), _unknown)(value, flags)
        taken, empty = taken | one & empty, empty & none
        if not empty:
            break
    return taken, empty


def _unknown(_value: Any, _flags: int) -> Found:
    return _ANYTHING


def _literal(code: int, flags: int) -> Found:
    return _cased(1 << code & _CHARS if code < 128 else 0, flags, beyond=code > 127), 0


def _cased(bits: int, flags: int, *, beyond: bool) -> int:
    """The bits with those of the other case; `beyond`: characters that are not in ASCII were named too."""
    if not flags & re.IGNORECASE:
        return bits
    upper, lower = bits >> 65 & 0x3FFFFFF, bits >> 97 & 0x3FFFFFF
    return bits | upper << 97 | lower << 65 | (_FOLDS if beyond else 0)


def _not_literal(code: int, _flags: int) -> Found:
    return _CHARS & ~(1 << code), 0


def _any(_value: None, flags: int) -> Found:
    return (_CHARS if flags & re.DOTALL else _CHARS & ~_NEWLINE), 0


def _class(items: list[Node], flags: int) -> Found:
    """Return the members of brackets. Those of negated ones are left out in the case written, at least."""
    negated = str(items[0][0]) == "NEGATE"
    bits = reduce(or_, (_item(str(name), value, flags) for name, value in items[negated:]), 0)
    if negated:
        return _CHARS & ~bits, 0
    return _cased(bits, flags, beyond=any(_is_beyond(value) for _, value in items)), 0


def _item(name: str, value: Any, flags: int) -> int:
    if name == "LITERAL":
        return 1 << value & _CHARS if value < 128 else 0
    if name == "RANGE":
        return (2 << min(value[1], 127)) - (1 << value[0]) if value[0] < 128 else 0
    return _category(str(value), flags)


def _category(name: str, flags: int) -> int:
    space = _ASCII_SPACE if flags & re.ASCII else _SPACE
    bits = {"DIGIT": _DIGIT, "SPACE": space, "WORD": _WORD}[name.rpartition("_")[2]]
    return _CHARS & ~bits if "_NOT_" in name else bits


def _is_beyond(value: Any) -> bool:
    """Return whether a member of brackets (a character, a range, or a category) has more than ASCII."""
    return not isinstance(value, int | tuple) or (max(value) if isinstance(value, tuple) else value) > 127


def _branch(value: tuple[None, list[Iterable[Node]]], flags: int) -> Found:
    found = [_sequence(branch, flags) for branch in value[1]]
    return reduce(or_, (taken for taken, _ in found)), reduce(or_, (empty for _, empty in found))


def _group(value: tuple[Any, int, int, Iterable[Node]], flags: int) -> Found:
    _, added, removed, nodes = value
    return _sequence(nodes, (flags | added) & ~removed)


def _repeat(value: tuple[int, int, Iterable[Node]], flags: int) -> Found:
    least, _, nodes = value
    taken, empty = _sequence(nodes, flags)
    return taken, empty if least else _CHARS | END


def _ahead(value: tuple[int, Iterable[Node]], flags: int) -> Found:
    """Return what has to follow; a look behind says nothing of that."""
    direction, nodes = value
    taken, empty = _sequence(nodes, flags)
    return (0, taken | empty) if direction > 0 else _NOTHING_TAKEN


def _place(name: Any, _flags: int) -> Found:
    return 0, {"AT_END": _NEWLINE | END, "AT_END_STRING": END}.get(str(name), _CHARS | END)


_READERS: Mapping[str, Callable[[Any, int], Found]] = {
    "LITERAL": _literal,
    "NOT_LITERAL": _not_literal,
    "ANY": _any,
    "IN": _class,
    "BRANCH": _branch,
    "SUBPATTERN": _group,
    "ATOMIC_GROUP": _sequence,
    "MAX_REPEAT": _repeat,
    "MIN_REPEAT": _repeat,
    "POSSESSIVE_REPEAT": _repeat,
    "ASSERT": _ahead,
    "ASSERT_NOT": lambda _value, _flags: _NOTHING_TAKEN,
    "AT": _place,
}
"""What reads each kind of part, by the name that `re` gives it."""
