"""A component's attributes as data: what the parser needs to read a tag, and the reference to describe it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_type_hints

from components.base import Component, Href, Labels

Kind = Literal["text", "link", "labels", "number", "flag"]

_KINDS: dict[object, Kind] = {str: "text", Href: "link", Labels: "labels", int: "number", bool: "flag"}


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute; `default` is what the component has when a tag does not give it."""

    name: str
    kind: Kind
    default: str | int | bool


# Not functools.cache: mypy does not take a dataclass's class for hashable.
_known: dict[type[Component], dict[str, Attribute]] = {}


def attributes(component: type[Component]) -> dict[str, Attribute]:
    """The attributes of `component` by name, in the order of its fields.

    Raises KeyError for a field of a type that no attribute can have: a fault of the component.
    """
    if component not in _known:
        _known[component] = _read(component)
    return _known[component]


def _read(component: type[Component]) -> dict[str, Attribute]:
    hints = get_type_hints(component, include_extras=True)
    bare = component()
    return {
        field.name: Attribute(field.name, _KINDS[hints[field.name]], getattr(bare, field.name))
        for field in fields(component)
    }
