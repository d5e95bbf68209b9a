"""YAML text as plain values that JSON can hold, with the place of each and what had to be left out.

Meaning is that of PyYAML's safe loader, but: dates are ISO strings, and a value that JSON cannot hold
(not a number, beyond 64 bit, binary, an impossible date, a key that is no text) is a fault, not a value.
"""

from __future__ import annotations

import datetime
import math

import yaml
from msgspec import Struct

from builder.yaml import hints
from builder.yaml.nodes import (
    MAX_DEPTH,
    MAX_NODES,
    MAX_TEXT,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    YamlFault,
    compose,
)

__all__ = ["Fault", "Loaded", "YamlFault", "load"]

LOWEST, HIGHEST = -(2**63), 2**64 - 1
"""The whole numbers that every reader of JSON here can hold."""

_TAG = "tag:yaml.org,2002:"
_STR, _MERGE = f"{_TAG}str", f"{_TAG}merge"
_LONGEST_NUMBER = 80
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_LEFT_OUT = object()


class Fault(Struct, frozen=True):
    """A value or key that was left out. `where` is its field, such as `nav[1].href`; `index` its place."""

    where: str
    message: str
    index: int
    hint: str = ""


class Loaded(Struct, frozen=True):
    """`keys` and `values` map a field, such as `nav[1].href`, to the index of its key and of its value.

    `faults` are what was left out, `repeated` keys that are there twice, of which the last one counts.
    """

    value: object
    keys: dict[str, int]
    values: dict[str, int]
    faults: tuple[Fault, ...]
    repeated: tuple[Fault, ...]


def load(text: str, max_nodes: int = MAX_NODES, max_text: int = MAX_TEXT) -> Loaded:
    """Read a text whole. Raises YamlFault when it is no YAML or over a limit."""
    node = compose(text, max_nodes, max_text)
    reader = _Reader(text)
    value = None if node is None else reader.read(node, "", 0)
    return Loaded(
        None if value is _LEFT_OUT else value,
        reader.keys,
        reader.values,
        tuple(reader.faults),
        tuple(reader.repeated),
    )


class _Reader:
    """Reads nodes into values, leaves out what is no value and remembers where everything was."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._unused = hints.unused_anchors(text) if "&" in text else {}
        self.keys: dict[str, int] = {}
        self.values: dict[str, int] = {}
        self.faults: list[Fault] = []
        self.repeated: list[Fault] = []

    def read(self, node: Node, where: str, depth: int) -> object:
        """The node's value, or _LEFT_OUT when it is a scalar that is none."""
        self.values[where] = node.start
        if isinstance(node, Scalar):
            self._check_anchor(node, where)
            try:
                return node.text if node.tag == _STR else _scalar(node)
            except YamlFault as fault:
                self.faults.append(Fault(where, fault.message, fault.index, fault.hint))
                return _LEFT_OUT
        if depth >= MAX_DEPTH:  # aliases can make it deeper than it is written
            raise YamlFault(f"is nested deeper than {MAX_DEPTH} levels", node.start)
        if isinstance(node, Mapping):
            return self._mapping(node, where, depth + 1)
        items = [self.read(item, f"{where}[{n}]", depth + 1) for n, item in enumerate(node.items)]
        return [item for item in items if item is not _LEFT_OUT]

    def _check_anchor(self, node: Scalar, where: str) -> None:
        """A text such as `&co` is a name for the value after it and no part of it: hardly what was meant."""
        if node.start in self._unused:
            message = f"`&{self._unused[node.start]}` is no part of the value"
            hint = hints.needs_quotes(self._text, node.start)
            self.faults.append(Fault(where, message, node.start, hint))

    def _mapping(self, node: Mapping, where: str, depth: int) -> dict[str, object]:
        own: dict[str, object] = {}
        merged: dict[str, object] = {}
        for entry in node.items:
            if isinstance(entry.key, Scalar) and entry.key.tag == _MERGE:
                self._merge(entry, where, depth, merged)
                continue
            key = self._key(entry.key, where)
            if key is None:
                continue
            inner = f"{where}.{key}" if where else key
            if key in own:
                self.repeated.append(Fault(inner, "is there twice; the last one counts", entry.key.start))
            self.keys[inner] = entry.key.start
            value = self.read(entry.value, inner, depth)
            if value is not _LEFT_OUT:
                own[key] = value
        return merged | own if merged else own

    def _key(self, node: Node, where: str) -> str | None:
        """The key's text, or None and a fault when it is none."""
        if isinstance(node, Scalar) and node.tag == _STR:
            return node.text
        name = f"`{node.text[:40]}`" if isinstance(node, Scalar) else "a list or mapping"
        self.faults.append(Fault(where, f"the key {name} is not text", node.start, "put the key into quotes"))
        return None

    def _merge(self, entry: Entry, where: str, depth: int, into: dict[str, object]) -> None:
        """`<<: *base`: what the mapping itself, or an earlier merged one, has takes precedence."""
        bases = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
        for base in bases:
            if not isinstance(base, Mapping):
                self.faults.append(Fault(where, "`<<` needs a mapping", entry.key.start))
                continue
            for key, value in self._mapping(base, where, depth).items():
                into.setdefault(key, value)


def _scalar(node: Scalar) -> object:
    """The value of a scalar that is no string. Raises YamlFault when JSON cannot hold it."""
    kind = node.tag.removeprefix(_TAG)
    if kind in {"merge", "value"}:
        return node.text
    construct = _SCALARS.get(kind)
    shown = node.text[:40]
    if construct is None:
        message = f"`{shown}` has the tag `{node.tag}`, which is not read"
        raise YamlFault(message, node.start, "put the value into quotes")
    try:
        value = construct(node)
    except (ValueError, LookupError, AttributeError, OverflowError, yaml.YAMLError):
        # What SafeConstructor lets out for values that have a type's form, but are none.
        raise YamlFault(f"`{shown}` is no {_NAMES[kind]}", node.start, _QUOTE) from None
    if isinstance(value, float) and not math.isfinite(value):
        raise YamlFault(f"`{shown}` is no finite number", node.start, "write a number such as `2.5`")
    if isinstance(value, int) and not LOWEST <= value <= HIGHEST:
        raise YamlFault(f"`{shown}` is outside the range of 64 bit", node.start, _QUOTE)
    return value


def _number(node: Scalar) -> object:
    if len(node.text) > _LONGEST_NUMBER:
        raise YamlFault(f"`{node.text[:40]}…` is outside the range of 64 bit", node.start, _QUOTE)
    scalar = yaml.ScalarNode(node.tag, node.text)
    if node.tag.endswith("int"):
        return _CONSTRUCTOR.construct_yaml_int(scalar)
    return _CONSTRUCTOR.construct_yaml_float(scalar)


def _timestamp(node: Scalar) -> str:
    made = _CONSTRUCTOR.construct_yaml_timestamp(yaml.ScalarNode(node.tag, node.text))
    if not isinstance(made, datetime.date):
        raise TypeError(made)
    return made.isoformat()


def _null(_: Scalar) -> None:
    return None


def _bool(node: Scalar) -> object:
    return _CONSTRUCTOR.bool_values[node.text.lower()]


_QUOTE = "put it into quotes if it is meant as text"
_NAMES = {
    "null": "null",
    "bool": "`true` or `false`",
    "int": "number",
    "float": "number",
    "timestamp": "date",
}
_SCALARS = {"null": _null, "bool": _bool, "int": _number, "float": _number, "timestamp": _timestamp}
