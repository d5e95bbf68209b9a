"""JSON as a careful server reads it: nothing that two readers could understand in two ways.

UTF-8 without a byte order mark, no key twice in one object, no NaN or Infinity, no number that is infinite
as a double, no integer over 20 digits, no half of a surrogate pair, at most 64 levels and 20,000 values.
"""

from __future__ import annotations

import json
import math
from typing import Any

from server.http.failure import Failure

MAX_DEPTH = 64
MAX_DIGITS = 20
MAX_VALUES = 20_000
"""In all of a body: a hundred times what a page needs, and few enough to be looked at one by one."""


def loads(data: bytes) -> object:
    """The value that `data` is. Raises Failure with `INVALID_JSON` that names the place."""
    if _many(data):
        raise _invalid(f"the body has more than {MAX_VALUES:,} values")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _invalid(f"the body is not UTF-8 (byte {error.start})") from None
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _invalid(f"the body is no JSON: {error.msg} ({place})") from None
    except RecursionError:
        raise _too_deep() from None
    _look(value)
    return value


def _many(data: bytes) -> bool:
    """Return whether there are too many values, told from the bytes alone: a hundredth of the cost."""
    if _signs(data) < MAX_VALUES:
        return False
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    if plain.count(b'"') > 4 * MAX_VALUES:  # each text has two, and a key is one beside its value
        return True
    return _signs(b"".join(plain.split(b'"')[::2])) >= MAX_VALUES


def _signs(data: bytes) -> int:
    """Count the values, but one: each is the first in a list or an object, or has a comma."""
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def _look(value: object) -> None:
    """Raise unless the value is within the limits."""
    level, here = 0, [value]
    while here:
        if level > MAX_DEPTH:
            raise _too_deep()
        below: list[object] = []
        for one in here:
            if isinstance(one, str):
                _whole(one)
            elif isinstance(one, dict):
                for key in one:
                    _whole(key)
                below.extend(one.values())
            elif isinstance(one, list):
                below.extend(one)
        level, here = level + 1, below


def _whole(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _invalid("a text has half of a surrogate pair (`\\ud800` to `\\udfff`)") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _invalid(f"the key `{twice[:80]}` stands twice in one object")
    return made


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise _invalid(f"a number has more than {MAX_DIGITS} digits")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _invalid(f"the number `{text[:40]}` is too large")
    return number


def _constant(text: str) -> object:
    raise _invalid(f"`{text}` is no JSON")


def _too_deep() -> Failure:
    return _invalid(f"the body is more than {MAX_DEPTH} levels deep")


def _invalid(message: str) -> Failure:
    return Failure("INVALID_JSON", message)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
