"""Values back into YAML text, and changes of some keys in a text that a person wrote.

An edit leaves every other line as it is: comments, quotes, order, blank lines.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence
from typing import Any, cast

import yaml
from frontmatter.default_handlers import YAMLHandler

from builder.yaml.nodes import MAX_NODES, MAX_TEXT, Entry, Mapping, Scalar, compose
from builder.yaml.safe import Fault

_HANDLER = YAMLHandler()
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_MARK = "\ufeff"
_LINE_END = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)?")


class _Plain:
    """The common part of both dumpers: no aliases, and quotes around whatever white space could be lost."""

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


def same(one: object, other: object) -> bool:
    """Return whether two values are the same to a reader of JSON: `1` is neither `1.0` nor `true`."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def edit(
    text: str,
    current: MappingOf[str, object],
    wanted: MappingOf[str, object],
    newline: str,
    faults: Sequence[Fault] | None = None,
    *,
    max_nodes: int = MAX_NODES,
    max_text: int = MAX_TEXT,
) -> str:
    """`text` with the keys of `current` (what it reads as) changed to those of `wanted`.

    Keys that are in neither (their values cannot be read) stay. With `faults` (all that cannot be read) they
    go, what has a fault is written anew, and of a key that is there several times the last one is left.
    Text that is no block mapping is replaced. The caller checks the result: some texts, with anchors or
    merges, cannot be edited by lines. Raises YamlFault for text with more than may be read of it.
    """
    mark, text = _without_mark(text)
    root = compose(text, max_nodes, max_text)
    if not isinstance(root, Mapping) or root.flow:
        return mark + _with_newlines(dump(wanted), newline)
    present = {_name(entry) for entry in root.items}
    places = sorted(fault.index for fault in faults or ())
    seen: set[str | None] = set()
    for entry in reversed(root.items):
        name, spoilt = _name(entry), _is_spoilt(entry, places)
        again = faults is not None and name in seen
        seen.add(name)
        if name is not None and name in wanted and not again:
            if spoilt or not (name in current and same(current[name], wanted[name])):
                text = _replaced(text, entry, _with_newlines(dump({name: wanted[name]}), newline))
        elif again or name in current or spoilt:
            text = _without(text, entry)
    added = {name: value for name, value in wanted.items() if name not in present}
    if added:
        text = _ended(text, newline) + _with_newlines(dump(added), newline)
    return mark + text


def edit_inner(text: str, name: str, wanted: MappingOf[str, object], newline: str) -> str | None:
    """`text` with the entries of the mapping under the key `name` changed to `wanted`, each by its lines.

    None where there is no block mapping with entries. The caller checks the result, as that of `edit`.
    """
    mark, text = _without_mark(text)
    root = compose(text)
    entry = (
        next((each for each in root.items if _name(each) == name), None)
        if isinstance(root, Mapping)
        else None
    )
    inner = entry.value if entry else None
    if not isinstance(inner, Mapping) or inner.flow or not inner.items:
        return None
    known = {_name(each) for each in inner.items}
    added = {key: value for key, value in wanted.items() if key not in known}
    text = _appended(text, inner.items, added, newline)
    for each in reversed(inner.items):
        key = _name(each)
        if key is None or key not in wanted:
            text = _without(text, each)
        elif not isinstance(each.value, Scalar) or each.value.text != wanted[key]:
            text = _replaced(text, each, dump({key: wanted[key]}))
    return mark + text


def _without_mark(text: str) -> tuple[str, str]:
    """The byte order mark, if there is one, and the text behind it: places in YAML do not count it."""
    rest = text.removeprefix(_MARK)
    return text[: len(text) - len(rest)], rest


def _appended(text: str, items: Sequence[Entry], added: MappingOf[str, object], newline: str) -> str:
    """The text with entries behind the last one of a block mapping."""
    first, last = items[0].key.start, items[-1]
    indent = " " * (first - max(text.rfind("\n", 0, first), text.rfind("\r", 0, first)) - 1)
    end = last.key.start + len(text[last.key.start : last.end].rstrip())
    rest = _LINE_END.match(text, end)
    end = rest.end() if rest else end
    lines = "".join(f"{indent}{dump({key: value})}{newline}" for key, value in added.items())
    return _ended(text[:end], newline) + lines + text[end:] if lines else text


def _name(entry: Entry) -> str | None:
    return entry.key.text if isinstance(entry.key, Scalar) else None


def _is_spoilt(entry: Entry, places: Sequence[int]) -> bool:
    """Return whether something in an entry, or all of it, cannot be read: one of these places is in it."""
    first = bisect_left(places, entry.key.start)
    return first < len(places) and places[first] < max(entry.end, entry.key.start + 1)


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
