"""Values of JSON as structs; an error names the field that does not fit.

Knows no server: agents on standard input and output are told in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    "NoneType": "null",
}
_ENUM = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
_TAG = re.compile(r"Invalid value '(.*)'", re.DOTALL)
_LENGTH = re.compile(r"Expected `(array|str)` of length (>=|<=) (\d+)")
_RANGE = re.compile(r"Expected `(int|float)` (>=|<=) (-?\d+(?:\.\d+)?)")
_PATTERN = re.compile(r"Expected `str` matching regex '(.*)'", re.DOTALL)
_BOUNDS = {">=": "least", "<=": "most"}
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_TYPES = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")


def convert(value: object, kind: type[T]) -> T:
    """The struct. Raises Failure with `INVALID_BODY`."""
    if not isinstance(value, dict):
        raise Failure("INVALID_BODY", "the body must be an object")
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        raise Failure("INVALID_BODY", said(str(error), kind, value)) from None


def said(message: str, kind: type[msgspec.Struct], value: object = None) -> str:
    """The words for a fault of msgspec's, with the place; `value` is what was to become a struct."""
    found = _PLACE.fullmatch(message)
    what, place = (found["what"], found["place"] or "") if found else (message, "")
    if missing := _MISSING.fullmatch(what):
        return f"{_field(place, missing[1])}: is missing"
    if unknown := _UNKNOWN.fullmatch(what):
        names = fields_at(kind, place, value)
        hint = did_you_mean(unknown[1][:80], names) or "it may have " + ", ".join(
            f"`{name}`" for name in names
        )
        return f"{_field(place, unknown[1][:80])}: there is no such field ({hint})"
    if other := (_ENUM.fullmatch(what) or _TAG.fullmatch(what)):
        what = f"expected {_choices(kind, place, value)}, found `{other[1][:80]}`"
    else:
        what = _in_words(what)
    return f"{place}: {what}" if place else what


def _in_words(what: str) -> str:
    """The fault of a value, in words that are not msgspec's where it has a form that is known here."""
    if length := _LENGTH.fullmatch(what):
        unit, many = ("character" if length[1] == "str" else "item"), "" if length[3] == "1" else "s"
        return f"expected at {_BOUNDS[length[2]]} {length[3]} {unit}{many}"
    if number := _RANGE.fullmatch(what):
        return f"expected {_words(number[1])} of at {_BOUNDS[number[2]]} {number[3]}"
    if pattern := _PATTERN.fullmatch(what):
        return f"expected a text of the form `{pattern[1]}`"
    if types := _TYPES.fullmatch(what):
        return f"expected {_words(types[1])}, found {_words(types[2])}"
    return what


def _field(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _choices(kind: type[msgspec.Struct], place: str, value: object) -> str:
    outer, _, field = place.rpartition(".")
    structs = structs_at(kind, outer, value)
    tags = [struct.__struct_config__.tag for struct in structs if struct.__struct_config__.tag_field == field]
    named = tags or [name for struct in structs for name in get_args(get_type_hints(struct).get(field))]
    return " or ".join(f"`{name}`" for name in named)


def fields_at(kind: type[msgspec.Struct], place: str, value: object) -> tuple[str, ...]:
    """Return the names of the fields that the object at a place of `value` may have, as JSON has them."""
    found = structs_at(kind, place, value)
    return tuple(dict.fromkeys(name for struct in found for name in struct.__struct_encode_fields__))


def structs_at(kind: type[msgspec.Struct], place: str, value: object) -> Sequence[type[msgspec.Struct]]:
    """Return the structs that the object at a place, such as `changes[0].edits[1]`, may be.

    Of several the one that its tag names, where it names one.
    """
    structs: Sequence[type[msgspec.Struct]] = (kind,)
    for name, number in _STEP.findall(place):
        if number:
            value = value[int(number)] if isinstance(value, list) and int(number) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
            hints = [get_type_hints(struct) for struct in structs]
            structs = [inner for each in hints for inner in _structs_in(each.get(name))]
        tagged = [struct for struct in structs if _has_tag(struct, value)]
        structs = tagged or structs
    return structs


def _structs_in(hint: object) -> Iterator[type[msgspec.Struct]]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    for inner in get_args(hint):
        yield from _structs_in(inner)


def _has_tag(struct: type[msgspec.Struct], value: object) -> bool:
    config = struct.__struct_config__
    return isinstance(value, dict) and bool(config.tag_field) and value.get(config.tag_field) == config.tag


def _words(types: str) -> str:
    kinds = types.replace("int | float", "float").split(" | ")
    return " or ".join(_WORDS.get(one, one) for one in kinds)
