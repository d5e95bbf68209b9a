"""The fields of a JSON schema in people's words, one row each, for the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

Json = Mapping[str, Any]

_WORDS = {"integer": "number", "array": "list"}
_OBVIOUS: tuple[object, ...] = (None, {}, "")
"""Defaults that say no more than that a field can be left out."""


class SchemaField(Struct, frozen=True):
    """One row. `name` is that of the field with those around it: `pages[].path`."""

    name: str
    type: str
    meaning: str
    required: bool
    default: str = ""

    @property
    def attributes(self) -> str:
        """What stands in the tag of its `Param`."""
        told = f' name="{self.name}" type="{self.type}"'
        told += " required" if self.required else ""
        return told + (f' default="{self.default}"' if self.default else "")

    @classmethod
    def of_parameter(cls, parameter: Json) -> SchemaField:
        """The row of an OpenAPI parameter."""
        schema = parameter["schema"]
        default = _default(schema)
        return cls(
            parameter["name"], type_of({}, schema), parameter["description"], parameter["required"], default
        )


def fields(described: Json, schema: Json, *, required: bool, inside: str = "") -> Iterator[SchemaField]:
    """The fields of an object and of those in it. With `required` those that must be there say so."""
    schema = _resolved(described, schema)
    for name, field in schema["properties"].items():
        needed = required and name in schema.get("required", ())
        told = field.get("description") or _resolved(described, field).get("description", "")
        yield SchemaField(inside + name, type_of(described, field), told, needed, _default(field))
        inner = _resolved(described, _if_there(field))
        below = f"{inside}{name}."
        if inner.get("type") == "array":
            inner, below = _resolved(described, inner["items"]), f"{inside}{name}[]."
        if "properties" in inner:
            yield from fields(described, inner, required=required, inside=below)


def type_of(described: Json, schema: Json) -> str:
    """The type in words: `text`, `number or null`, `list of objects`."""
    schema = _resolved(described, schema)
    if "enum" in schema:
        return " or ".join(str(one) for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_of(described, one) for one in schema["anyOf"]))
    kinds = schema.get("type", "any")
    if kinds == "array":
        return f"list of {type_of(described, schema['items'])}s"
    named: list[str] = kinds if isinstance(kinds, list) else [kinds]
    return " or ".join(_WORDS.get(kind, kind) for kind in named)


def _resolved(described: Json, schema: Json) -> Json:
    """What a reference stands for; msgspec wraps one in `allOf` when there is more to say."""
    reference = schema.get("$ref") or next((one.get("$ref") for one in schema.get("allOf", ())), None)
    if reference is None:
        return schema
    return described["components"]["schemas"][reference.rpartition("/")[2]]  # type: ignore[no-any-return]


def _if_there(schema: Json) -> Json:
    """What a value is that may also be null."""
    return next((one for one in schema.get("anyOf", ()) if one.get("type") != "null"), schema)


def _default(schema: Json) -> str:
    value = schema.get("default")
    return "" if value in _OBVIOUS else value if isinstance(value, str) else json.dumps(value)
