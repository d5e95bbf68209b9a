"""The JSON schemas of tools, made of structs, and as short as a list that models read should be.

Names, types, choices, ranges and meanings stay. Patterns and lengths go: the answer to a value that they
would refuse says what is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from server.mcp.messages import Json

_REFERENCE = "#/$defs/"
_LEFT_OUT = frozenset(
    ("title", "format", "pattern", "maxLength", "minLength", "maxItems", "minItems", "discriminator")
)
_NAMED = frozenset({"properties", "$defs"})
"""Keys whose values are schemas by names of ours, and none of them a keyword."""
_RANGE = frozenset({"minimum", "maximum"})
_FAR = 2**53
"""A bound from here on is that of the numbers that can be kept at all."""


def schema_of(kind: type[Struct], *, brief: bool = False) -> Json:
    """Return the schema of a struct, in which nothing leads elsewhere.

    A `brief` one leaves out meanings, and what is more than one step below its lists: other tools have both.
    """
    _, found = msgspec.json.schema_components([kind], ref_template=_REFERENCE + "{name}", schema_hook=_any)
    schema: Json = _short(found.pop(kind.__name__))
    schema.pop("description", None)
    schema["additionalProperties"] = False
    defs = {name: _short(each) for name, each in found.items()}
    for each in defs.values():
        each.pop("additionalProperties", None)
    if brief:
        defs = {name: _bare(defs[name], defs) for name in _referred(schema)}
    told: set[tuple[str, str]] = set()
    for each in (schema, *defs.values()):
        _say_once(each, told)
    return {**schema, "$defs": defs} if defs else schema


def _any(_: type) -> Json:
    return {}


def _short(value: Any) -> Any:
    """Return a schema without what does not help a model to fill it in."""
    if isinstance(value, list):
        return [_short(each) for each in value]
    if not isinstance(value, dict):
        return value
    if str(value.get("$ref", "")).startswith("#/components/"):
        return {}
    return _joined(dict(_kept(value)))


def _kept(schema: Json) -> Iterator[tuple[str, Any]]:
    """The keywords of a schema that stay, each short itself.

    Where any key is allowed, those that are known are left out: they would stand in each tool that writes a
    page, and the guide has them.
    """
    known = _short(schema.get("additionalProperties", False)) != {}
    for key, value in schema.items():
        if key in _LEFT_OUT or _is_plain(key, value) or (key == "properties" and not known):
            continue
        if key == "description":
            yield key, " ".join(value.split())
        elif key in _NAMED:
            yield key, {name: _short(each) for name, each in value.items()}
        else:
            yield key, _short(value)


def _is_plain(key: str, value: Any) -> bool:
    """Return whether a keyword says what is so without it."""
    return (key in {"default", "required"} and not value) or (key in _RANGE and abs(value) >= _FAR)


def _joined(schema: Json) -> Json:
    """Return a schema in which a choice of plain types is one list of them."""
    choices = schema.get("anyOf", [])
    if not choices or any(set(each) != {"type"} for each in choices):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {"type": [each["type"] for each in choices], **rest}


def _referred(value: Any) -> Iterator[str]:
    """The names of the schemas that a schema refers to."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].removeprefix(_REFERENCE)
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _referred(each)


def _bare(value: Any, defs: Mapping[str, Json]) -> Any:
    """Return a schema without its meanings, in which others are told by their type alone."""
    if isinstance(value, list):
        return [_bare(each, defs) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return {"type": defs[value["$ref"].removeprefix(_REFERENCE)]["type"]}
    made = {key: _bare(each, defs) for key, each in value.items() if not _is_meaning(key, each)}
    return _joined(made)


def _is_meaning(key: str, value: Any) -> bool:
    """Return whether it is the text of a meaning, and no property of that name."""
    return key == "description" and isinstance(value, str)


def _say_once(schema: Json, told: set[tuple[str, str]]) -> None:
    """Leave out what a property of the same name means where it was told before."""
    for name, each in schema.get("properties", {}).items():
        meaning = (name, each.get("description", ""))
        if meaning in told:
            del each["description"]
        elif meaning[1]:
            told.add(meaning)
