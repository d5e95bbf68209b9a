"""Values back into YAML text, and changes of some keys in a text that a person wrote.

An edit leaves every other line as it is: comments, quotes, order, blank lines.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping as MappingOf
from typing import Any, cast

import yaml
from frontmatter.default_handlers import YAMLHandler

from builder.yaml_nodes import MAX_DEPTH, Entry, Mapping, Scalar, compose
from builder.yaml_safe import HIGHEST, LOWEST

_HANDLER = YAMLHandler()
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)?")


class _Plain:
    """What both dumpers do: no aliases, and quotes around whatever white space could be lost."""

    def ignore_aliases(self, data: object) -> bool:
        """A value that is there twice is written twice."""
        return True


class _Dumper(_Plain, yaml.CSafeDumper):
    """The fast one; it writes characters beyond U+FFFF, such as emoji, as escapes."""


class _AstralDumper(_Plain, yaml.SafeDumper):
    """The one for texts with such characters."""


def _text(dumper: Any, value: str) -> yaml.Node:
    style = None if value == " ".join(value.split()) else '"'
    return cast(yaml.Node, dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style))


for _each in (_Dumper, _AstralDumper):
    _each.add_representer(str, _text)


def dump(values: MappingOf[str, object]) -> str:
    """A mapping as block YAML in the order of its keys, without a line end; an empty one is empty text."""
    if not values:
        return ""
    astral = _ASTRAL.search(json.dumps(values, ensure_ascii=False))
    dumper = _AstralDumper if astral else _Dumper
    return _HANDLER.export(dict(values), Dumper=dumper, sort_keys=False, width=1 << 30)


def check(value: object, where: str, depth: int = 0) -> None:
    """Make sure that a value can be written and read again. Raises ValueError naming the place within it."""
    if depth >= MAX_DEPTH and isinstance(value, dict | list | tuple):
        raise ValueError(f"{where}: is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        for key, item in value.items():
            _check_scalar(key, where)
            if not isinstance(key, str):
                raise ValueError(f"{where}: has the key {key!r}, which is not text")  # noqa: TRY004
            check(item, f"{where}.{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for n, item in enumerate(value):
            check(item, f"{where}[{n}]", depth + 1)
    else:
        _check_scalar(value, where)


def same(one: object, other: object) -> bool:
    """Whether two values are the same to a reader of JSON: `1` is neither `1.0` nor `true`."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def edit(text: str, current: MappingOf[str, object], wanted: MappingOf[str, object], newline: str) -> str:
    """`text` with the keys of `current` (what it reads as) changed to those of `wanted`.

    Keys that are in neither (their values cannot be read) stay. Text that is no block mapping is replaced.
    The caller checks the result: some texts, with anchors or merges, cannot be edited by lines.
    """
    root = compose(text)
    if not isinstance(root, Mapping) or root.flow:
        return _with_newlines(dump(wanted), newline)
    present = {entry.key.text for entry in root.items if isinstance(entry.key, Scalar)}
    for entry in reversed(root.items):
        name = entry.key.text if isinstance(entry.key, Scalar) else ""
        if name not in wanted and name in current:
            text = _without(text, entry)
        elif name in wanted and not (name in current and same(current[name], wanted[name])):
            text = _replaced(text, entry, _with_newlines(dump({name: wanted[name]}), newline))
    added = {name: value for name, value in wanted.items() if name not in present}
    if added:
        text = _ended(text, newline) + _with_newlines(dump(added), newline)
    return text


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


def _without(text: str, entry: Entry) -> str:
    """The text without the lines of an entry."""
    start = max(text.rfind("\n", 0, entry.key.start), text.rfind("\r", 0, entry.key.start)) + 1
    end = start + len(text[start : entry.end].rstrip())
    rest = _LINE_END.match(text, max(end, entry.key.end))
    return text[:start] + text[rest.end() if rest else end :]


def _replaced(text: str, entry: Entry, new: str) -> str:
    """The text with an entry written anew; a comment behind it stays."""
    end = entry.key.start + len(text[entry.key.start : entry.end].rstrip())
    return text[: entry.key.start] + new + text[end:]


def _ended(text: str, newline: str) -> str:
    return text if not text or text[-1] in "\r\n" else text + newline


def _with_newlines(text: str, newline: str) -> str:
    return text.replace("\n", newline)
