"""From a request's JSON to a typed struct; what does not fit is named by its field."""

from __future__ import annotations

import re
from typing import TypeVar, get_args, get_type_hints

import msgspec

from builder.diagnostics import did_you_mean
from server.http.failure import Failure

T = TypeVar("T", bound=msgspec.Struct)

_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?:key in )?\$\.?(?P<place>[^`]*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`")
_WORDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_ENUM = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
_TYPES = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")


def convert(value: object, kind: type[T]) -> T:
    """The struct. Raises Failure with `INVALID_BODY`."""
    if not isinstance(value, dict):
        raise Failure("INVALID_BODY", "the body must be an object")
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        raise Failure("INVALID_BODY", _said(str(error), kind)) from None


def _said(message: str, kind: type[msgspec.Struct]) -> str:
    found = _PLACE.fullmatch(message)
    what, place = (found["what"], found["place"] or "") if found else (message, "")
    if missing := _MISSING.fullmatch(what):
        return f"{missing[1]}: is missing"
    if unknown := _UNKNOWN.fullmatch(what):
        names = kind.__struct_fields__
        hint = did_you_mean(unknown[1][:80], names) or "it may have " + ", ".join(
            f"`{name}`" for name in names
        )
        return f"{unknown[1][:80]}: there is no such field ({hint})"
    if other := _ENUM.fullmatch(what):
        what = f"expected {_choices(kind, place)}, found `{other[1][:80]}`"
    elif types := _TYPES.fullmatch(what):
        what = f"expected {_words(types[1])}, found {_words(types[2])}"
    return f"{place}: {what}" if place else what


def _choices(kind: type[msgspec.Struct], field: str) -> str:
    return " or ".join(f"`{name}`" for name in get_args(get_type_hints(kind).get(field)))


def _words(types: str) -> str:
    kinds = types.replace("int | float", "float").split(" | ")
    return " or ".join(_WORDS.get(one, one) for one in kinds)
