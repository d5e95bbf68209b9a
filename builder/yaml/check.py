"""Check that values can be written as YAML and read again, before any work is spent on them.

What is read is bounded by `yaml/nodes.py`; the same bounds hold for what comes from elsewhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from msgspec import Struct

from builder.yaml.nodes import MAX_DEPTH, MAX_NODES, MAX_TEXT
from builder.yaml.safe import HIGHEST, LOWEST

_SURROGATE = re.compile("[\ud800-\udfff]")


def check_all(values: Mapping[str, object], where: str) -> None:
    """Make sure that a mapping can be written. Raises ValueError naming the field, or `where` for all of it.

    Looks at no more than the bounds allow, however much is given.
    """
    all_nodes = all_characters = 0
    for key, value in values.items():
        _check_key(key, where)
        field = _Field(f"{where}.{key[:80]}")
        field.check(value, field.name, 1)
        all_nodes += field.nodes + 1
        all_characters += field.characters + len(key)
        _bound(where, all_nodes, all_characters)


def check(value: object, where: str) -> None:
    """Make sure that one value can be written. Raises ValueError naming the place within it."""
    _Field(where).check(value, where, 0)


class _Field(Struct):
    """The parts seen of one field: values and keys, and the characters in them."""

    name: str
    nodes: int = 0
    characters: int = 0

    def check(self, value: object, where: str, depth: int) -> None:
        if depth >= MAX_DEPTH and isinstance(value, dict | list | tuple):
            raise ValueError(f"{where}: is nested deeper than {MAX_DEPTH} levels")
        self._count(value)
        if isinstance(value, dict):
            for key, item in value.items():
                _check_key(key, where)
                self._count(key)
                self.check(item, f"{where}.{key[:80]}", depth + 1)
        elif isinstance(value, list | tuple):
            for n, item in enumerate(value):
                self.check(item, f"{where}[{n}]", depth + 1)
        else:
            _check_scalar(value, where)

    def _count(self, value: object) -> None:
        self.nodes += 1
        self.characters += len(value) if isinstance(value, str) else 0
        _bound(self.name, self.nodes, self.characters)


def _bound(where: str, nodes: int, characters: int) -> None:
    if nodes > MAX_NODES:
        raise ValueError(f"{where}: has more than {MAX_NODES:,} values")
    if characters > MAX_TEXT:
        raise ValueError(f"{where}: is longer than {MAX_TEXT // 1024} KiB")


def _check_key(key: object, where: str) -> None:
    if not isinstance(key, str):
        raise ValueError(f"{where}: has the key {key!r}, which is not text")  # noqa: TRY004
    _check_scalar(key, where)


def _check_scalar(value: object, where: str) -> None:
    match value:
        case None | bool():
            return
        case str() if _SURROGATE.search(value):
            raise ValueError(f"{where}: has half of a surrogate pair")
        case int() if not LOWEST <= value <= HIGHEST:
            raise ValueError(f"{where}: is outside the range of 64 bit")
        case float() if not math.isfinite(value):
            raise ValueError(f"{where}: is no finite number")
        case str() | int() | float():
            return
    raise ValueError(f"{where}: is a {type(value).__name__}, which cannot be written")
