"""Fields of a dataclass that are read from a file and are their own documentation."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass
from functools import lru_cache
from typing import Any, Literal

from builder.schema.kinds import FLAG, NUMBER, TEXT

KINDS = {str: TEXT, bool: FLAG, int: NUMBER, float: NUMBER}

Check = Callable[[str], str]
"""Gives a text in its normal form, or raises ValueError with what is wrong with it and perhaps a hint."""


@dataclass(frozen=True, slots=True)
class Option:
    """One field as its documentation shows it; `name` is a path such as `nav[].href`, all are plain text."""

    name: str
    type: str
    default: str
    meaning: str
    example: str


def option(
    meaning: str,
    default: object = MISSING,
    *,
    example: str = "",
    check: Check | None = None,
    keys: Mapping[str, tuple[str, str]] | None = None,
) -> Any:
    """A field of a dataclass; without a default it must be given. `check` looks at each text in the value.

    `keys` is for a mapping of texts: the names that may be in it, each with its default and its meaning.
    """
    about = {"meaning": meaning, "example": example, "check": check, "keys": keys}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=default.copy, metadata=about)
    return dataclasses.field(default=default, metadata=about)


def options(cls: type, prefix: str = "") -> Iterator[Option]:
    """The documentation of all fields, those of nested mappings after their parent."""
    hints = hints_of(cls)
    for field in dataclasses.fields(cls):
        if not field.metadata:
            continue
        name, hint = f"{prefix}{field.name}", hints[field.name]
        default = _default_name(field)
        yield Option(name, _type_name(hint), default, field.metadata["meaning"], field.metadata["example"])
        for key, (text, meaning) in (field.metadata.get("keys") or {}).items():
            yield Option(f"{name}.{key}", TEXT.name, f"`{text}`", meaning, "")
        inner = _item(hint) or hint
        if dataclasses.is_dataclass(inner) and inner is not cls:
            yield from options(typing.cast(type, inner), f"{name}[]." if _item(hint) else f"{name}.")


@lru_cache
def hints_of(cls: type) -> dict[str, Any]:
    """The types of a dataclass's fields, with their names resolved."""
    return typing.get_type_hints(cls)


def _item(hint: Any) -> Any:
    """Return the type of a list's items, or None for anything that is no list."""
    return typing.get_args(hint)[0] if typing.get_origin(hint) is tuple else None


def alternatives(names: list[str]) -> str:
    """Names as a message lists them: `a` or `b`."""
    return " or ".join(f"`{name}`" for name in names)


def _type_name(hint: Any) -> str:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return alternatives([str(arg) for arg in args])
    if origin is tuple:
        return "list of mappings" if dataclasses.is_dataclass(args[0]) else "list of texts"
    if origin is dict or dataclasses.is_dataclass(hint):
        return "mapping"
    return KINDS[args[0] if args else hint].name


def _default_name(field: dataclasses.Field[Any]) -> str:
    if field.default is MISSING and field.default_factory is MISSING:
        return "required"
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    if isinstance(default, tuple) and default:
        return ", ".join(f"`{item}`" for item in default)
    return f"`{default}`" if isinstance(default, str) and default else "none"
