"""A component's attributes as data, for the parser that reads a tag and the reference that describes it."""

from __future__ import annotations

from functools import cache
from typing import Literal, get_type_hints

from msgspec import Struct

from components.base import Component, Href, Image, Labels

Kind = Literal["text", "link", "image", "labels", "number", "flag"]

_KINDS: dict[object, Kind] = {
    str: "text",
    Href: "link",
    Image: "image",
    Labels: "labels",
    int: "number",
    bool: "flag",
}


class Attribute(Struct, frozen=True):
    """One attribute; `default` is its value when a tag does not give it."""

    name: str
    kind: Kind
    default: str | int | bool


@cache
def attributes(component: type[Component]) -> dict[str, Attribute]:
    """The attributes of `component` by name, in the order of its fields.

    Raises KeyError for a field of a type that no attribute can have: a fault of the component.
    """
    hints = get_type_hints(component, include_extras=True)
    bare = component()
    return {
        name: Attribute(name, _KINDS[hints[name]], getattr(bare, name))
        for name in component.__struct_fields__
    }
