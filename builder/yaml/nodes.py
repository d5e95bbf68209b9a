"""YAML text becomes a small tree of nodes with their places: the C parser's events, with limits.

PyYAML's own composer is recursive and expands aliases without a limit, so a few bytes can end the process.
Here depth and size are counted while the events come in, an alias is the node that it names (known only
once that node is complete, so there are no cycles), and every node knows where it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import yaml

from builder.yaml import hints

MAX_DEPTH = 32
"""Collections within each other."""
MAX_NODES = 10_000
"""Values and keys in one text, those that aliases repeat included."""
MAX_TEXT = 64 * 1024
"""Characters, those that aliases repeat included."""

MAP, SEQ, STR = "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:str"

_LIBYAML_TOO_DEEP = "exceeded maximum nesting depth"
_RESOLVER: Any = yaml.resolver.Resolver()
_LONGEST_CACHED = 40
# What YAML calls printable is the complement of this.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class YamlFault(Exception):
    """Something that the text must not have; `index` counts characters from the text's beginning."""

    def __init__(self, message: str, index: int, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.index = index
        self.hint = hint


class Scalar(NamedTuple):
    """`tag` is the resolved one, `text` without quotes and escapes; `start` and `end` count characters."""

    start: int
    end: int
    tag: str
    text: str


class Sequence(NamedTuple):
    """A list, in block or flow style. `end` is where its last item ends, or after its bracket."""

    start: int
    end: int
    items: tuple[Node, ...]


class Entry(NamedTuple):
    """A key and its value. `end` is where the value ends as it is written here, also when it is an alias."""

    key: Node
    value: Node
    end: int


class Mapping(NamedTuple):
    """A mapping as it is written: keys may be of any kind and may repeat. `flow` is the form with braces."""

    start: int
    end: int
    items: tuple[Entry, ...]
    flow: bool


Node = Scalar | Sequence | Mapping


def compose(text: str, max_nodes: int = MAX_NODES, max_text: int = MAX_TEXT) -> Node | None:
    """The text's one document, or None when it is empty. Raises YamlFault, and nothing else."""
    if len(text) > max_text:
        raise YamlFault(f"is longer than {max_text // 1024} KiB", 0)
    try:
        return _document(text, max_nodes, max_text)
    except yaml.MarkedYAMLError as error:
        raise _fault(error, text) from None
    except (yaml.reader.ReaderError, UnicodeEncodeError):
        raise _unprintable(text) from None


def _document(text: str, max_nodes: int, max_text: int) -> Node | None:
    """The document by libyaml, or by the slower parser where libyaml gives up.

    From PyYAML 6.0.4 on, libyaml ends at 1,000 levels that it sees while it looks ahead, before it tells of
    the first; the parser in Python has no such limit, so `MAX_DEPTH` is what ends it, at the level it names.
    """
    try:
        return _Composer(yaml.CSafeLoader(text), text, max_nodes, max_text).document()
    except yaml.MarkedYAMLError as error:
        if error.problem != _LIBYAML_TOO_DEEP:
            raise
    return _Composer(yaml.SafeLoader(text), text, max_nodes, max_text).document()


class _Composer:
    """Turns events into nodes; `node` gives a node and the index at which it ends where it is written."""

    def __init__(
        self, loader: yaml.CSafeLoader | yaml.SafeLoader, text: str, max_nodes: int, max_text: int
    ) -> None:
        # PyYAML's stubs know neither the kinds of events nor that each has its marks.
        self._next: Callable[[], Any] = loader.get_event
        self._text = text
        self._left = max_nodes
        self._text_left = max_text
        self._anchors: dict[str, tuple[Node, int, int]] = {}
        self._begun = set[str]()

    def document(self) -> Node | None:
        self._next()
        if isinstance(self._next(), yaml.StreamEndEvent):
            return None
        node, _ = self._node(self._next(), 0)
        self._next()
        more = self._next()
        if not isinstance(more, yaml.StreamEndEvent):
            at = more.start_mark.index
            raise YamlFault("there is more than one document", at, "delete the lines `---`")
        return node

    def _node(self, event: Any, depth: int) -> tuple[Node, int]:
        start = event.start_mark.index
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        left, text_left = self._left, self._text_left
        if isinstance(event, yaml.ScalarEvent):
            self._count(1, len(event.value), start)
            node: Node = self._scalar(event)
        elif depth >= MAX_DEPTH:
            raise YamlFault(f"is nested deeper than {MAX_DEPTH} levels", start)
        else:
            self._count(1, 0, start)
            self._begun.add(event.anchor)
            node = self._collection(event, depth + 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = (node, left - self._left, text_left - self._text_left)
        return node, node.end

    def _alias(self, event: Any) -> tuple[Node, int]:
        """The node that an alias stands for; it counts as often as it is repeated."""
        start = event.start_mark.index
        if event.anchor not in self._anchors:
            name = event.anchor
            why = f"no value before it begins with `&{name}`"
            if name in self._begun:
                why = f"it is a part of the value that begins with `&{name}`"
            message = f"`*{name}` stands for nothing: {why}"
            raise YamlFault(message, start, hints.needs_quotes(self._text, start))
        node, nodes, characters = self._anchors[event.anchor]
        self._count(nodes, characters, start)
        return node, event.end_mark.index

    def _scalar(self, event: Any) -> Scalar:
        tag = event.tag
        if tag is None or tag == "!":
            tag = _tag(event.value) if event.implicit[0] else STR
        return Scalar(event.start_mark.index, event.end_mark.index, tag, event.value)

    def _collection(self, event: Any, depth: int) -> Node:
        is_list = isinstance(event, yaml.SequenceStartEvent)
        return self._sequence(event, depth) if is_list else self._mapping(event, depth)

    def _sequence(self, event: Any, depth: int) -> Sequence:
        _check_tag(event, SEQ)
        items: list[Node] = []
        end = start = event.start_mark.index
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            node, end = self._node(event, depth)
            items.append(node)
        return Sequence(start, _bracket(event) or end, tuple(items))

    def _mapping(self, event: Any, depth: int) -> Mapping:
        _check_tag(event, MAP)
        items: list[Entry] = []
        end = start = event.start_mark.index
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key, _ = self._node(event, depth)
            value, end = self._node(self._next(), depth)
            items.append(Entry(key, value, end))
        bracket = _bracket(event)
        return Mapping(start, bracket or end, tuple(items), flow=bool(bracket))

    def _count(self, nodes: int, characters: int, index: int) -> None:
        self._left -= nodes
        self._text_left -= characters
        if self._left < 0:
            raise YamlFault("has too many values", index)
        if self._text_left < 0:
            raise YamlFault("repeats too much text", index)


def _tag(text: str) -> str:
    """Return the tag of plain text: a number, a date, ... or text.

    Keys and flags are the same on every page.
    """
    return _short_tag(text) if len(text) <= _LONGEST_CACHED else _resolve(text)


@lru_cache(maxsize=4096)
def _short_tag(text: str) -> str:
    return _resolve(text)


def _resolve(text: str) -> str:
    return str(_RESOLVER.resolve(yaml.ScalarNode, text, (True, False)))


def _bracket(event: Any) -> int:
    """Return the offset at which a collection's bracket ends; 0 without one, as its event has no width."""
    start, end = event.start_mark.index, event.end_mark.index
    return int(end) if end > start else 0


def _check_tag(event: Any, tag: str) -> None:
    if event.tag not in {None, "!", tag}:
        message = f"has the tag `{event.tag}`, which is not read"
        raise YamlFault(message, event.start_mark.index, "put the value into quotes")


def _fault(error: yaml.MarkedYAMLError, text: str) -> YamlFault:
    """The mistake that was made, else the parser's words; nothing is shown beyond the last line."""
    mistake = hints.explain(text, error)
    if mistake is not None:
        return YamlFault(*mistake)
    problem = error.problem or error.context or "is not valid YAML"
    mark = error.problem_mark or error.context_mark
    end = len(text.rstrip())
    return YamlFault(problem, min(mark.index, end) if mark is not None else 0, hints.FALLBACK)


def _unprintable(text: str) -> YamlFault:
    found = _UNPRINTABLE.search(text)
    if found is None:
        return YamlFault("is not valid YAML", 0)
    return YamlFault(f"the character U+{ord(found[0]):04X} is not allowed", found.start(), "delete it")
