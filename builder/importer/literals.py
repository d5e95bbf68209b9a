"""Values that files of JavaScript and TypeScript hold, as they are read without running anything."""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec import Struct, field


class CodeValue(Struct, frozen=True):
    """A piece of a program in the place of data: its text, and the line that it begins on."""

    text: str
    line: int


class Call(Struct, frozen=True):
    """A call, `name(arguments)`, of which the importer may know what it stands for."""

    name: str
    arguments: tuple[object, ...]
    line: int


Literal = object
"""None, bool, int, float, str, list, dict with texts as keys, CodeValue, or Call."""


class Module(Struct):
    """A file: what it exports, by name (`default` for `export default` and `module.exports`).

    `imports` has for each name of another file the file and the name there.
    """

    exports: dict[str, Literal] = field(default_factory=dict)
    names: dict[str, Literal] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)


def json_module(text: str) -> Module:
    """Return a file of JSON as a module; nothing of one that is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    return Module({**(found if isinstance(found, dict) else {}), "default": found})


def is_data(value: Literal) -> bool:
    """Return whether a value is data on its first level."""
    return not isinstance(value, CodeValue | Call)


def first_data(value: Literal, *way: str) -> Literal:
    """Return what is at the end of a way of keys through objects, None where there is nothing."""
    for key in way:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def as_json(value: Literal) -> str:
    """Return data as text, for a report."""
    return json.dumps(value, ensure_ascii=False, default=lambda one: getattr(one, "text", str(one)))


def as_text(value: Literal, default: str = "") -> str:
    """Return a text, the default for what is none."""
    return value if isinstance(value, str) else default


def texts(value: Literal) -> Sequence[str]:
    """Return the texts of a list, or the text alone."""
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
