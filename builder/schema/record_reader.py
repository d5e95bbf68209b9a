"""Read a YAML or JSON mapping into a frozen dataclass whose fields are their own documentation.

A field is declared with `option(...)`: its annotation is its type, its metadata says what it means. Faults
never raise: a value of the wrong kind is left out (the default, or one item less in a list) and named with
its place, as in `nav[1].href: expected text, found a list`.
"""

from __future__ import annotations

import dataclasses
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass
from functools import partial
from types import UnionType
from typing import Any, Literal

from builder.diagnostics import Diagnostic, did_you_mean
from builder.schema.kinds import NAME_HINT, advice, describe, misfit, name_fault
from builder.schema.option import KINDS, Check, alternatives, hints_of
from builder.yaml.safe import Loaded
from components.nearest import Hint, found

MOST_FOUND = 1_000
"""Diagnostics of one code on one file; nobody reads more."""

SHORT = "SHORT"
"""A record may name the field that is meant where there is a text in the place of its mapping."""
WHERE = "where"
"""A record with a field of this name, which is no option, is told its own place: `nav[1]`."""


@dataclass(frozen=True, slots=True)
class FieldPlaces:
    """The places of one file's fields, and the codes of its faults.

    `keys` and `values` give line and column of a field such as `nav[1].href`.
    """

    file: str
    invalid: str
    unknown: str
    keys: Mapping[str, tuple[int, int]]
    values: Mapping[str, tuple[int, int]]


class Wrong(Exception):
    """A value that cannot be used; `where` is its field. Without a message, the cause has been reported."""

    def __init__(self, where: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.where = where
        self.message = message
        self.hint = hint


class RecordReader:
    """Reads values into dataclasses and collects what is wrong with them in `found`."""

    def __init__(self, places: FieldPlaces) -> None:
        self.places = places
        self.found: list[Diagnostic] = []
        self._counts: Counter[str] = Counter()

    @staticmethod
    def of(
        loaded: Loaded, place: Callable[[int], tuple[int, int]], file: str, invalid: str, unknown: str
    ) -> RecordReader:
        """A reader of what was loaded, which has found already what loading has left out.

        `place` gives the line and column of an index; `invalid` and `unknown` are the codes of faults.
        """
        keys = {where: place(index) for where, index in loaded.keys.items()}
        values = {where: place(index) for where, index in loaded.values.items()}
        reader = RecordReader(FieldPlaces(file, invalid, unknown, keys, values))
        for fault in (*loaded.faults, *loaded.repeated):
            reader.report_at(place(fault.index), fault.where, fault.message, fault.hint)
        return reader

    def report_wrong(self, wrong: Wrong) -> None:
        """A fault at the place of its field."""
        place = self.places.values.get(wrong.where) or self.places.keys.get(wrong.where, (0, 0))
        if wrong.message:
            self.report_at(place, wrong.where, wrong.message, wrong.hint)

    def report_at(self, place: tuple[int, int], where: str, message: str, hint: str = "") -> None:
        """A fault at a line and column."""
        self._say(place, self.places.invalid, f"{where}: {message}" if where else message, hint)

    def record(self, cls: type, values: object, where: str = "") -> Any:
        """An instance of `cls` from a mapping. Raises Wrong when it is none, or lacks what must be given."""
        if not isinstance(values, dict):
            raise Wrong(where, f"expected a mapping, found {describe(values)}")
        fields = {field.name: field for field in dataclasses.fields(cls) if field.metadata}
        made: dict[str, object] = {}
        for name, value in values.items():
            inner = f"{where}.{name}" if where else name
            if name not in fields:
                self._unknown(inner, name, fields)
            elif value is not None:
                self._field(fields[name], hints_of(cls)[name], value, inner, made)
        for name, field in fields.items():
            if name not in made and field.default is MISSING and field.default_factory is MISSING:
                raise Wrong(where, "" if values.get(name) is not None else f"has no `{name}`")
        if any(field.name == WHERE for field in dataclasses.fields(cls)):
            made[WHERE] = where
        return cls(**made)

    def variables(self, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield the entries of a field `variables` that have a name; the others are reported."""
        for name, text in values.items():
            if wrong := name_fault(name):
                place = self.places.keys.get(f"variables.{name}", (0, 0))
                self.report_at(place, "variables", wrong, NAME_HINT)
            else:
                yield name, text

    def _field(
        self, field: dataclasses.Field[Any], hint: Any, value: object, where: str, made: dict[str, object]
    ) -> None:
        keys = field.metadata.get("keys")
        if keys is not None and isinstance(value, dict):
            value = self._known(value, where, keys)
        try:
            made[field.name] = self._value(hint, value, where, field.metadata["check"])
        except Wrong as wrong:
            self.report_wrong(wrong)

    def _known(
        self, values: Mapping[str, object], where: str, known: Mapping[str, object]
    ) -> dict[str, object]:
        """The entries whose names are known and that say something; the other names are reported."""
        for name in values:
            if name not in known:
                self._unknown(f"{where}.{name}", name, known)
        return {name: value for name, value in values.items() if name in known and value is not None}

    def _value(self, hint: Any, value: object, where: str, check: Check | None) -> object:
        """The value as the annotation wants it. Raises Wrong."""
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin in {UnionType, typing.Union}:  # `str | None`, `int | float | None`: the first one decides
            return self._value(args[0], value, where, check)
        if origin is Literal:
            return _choice(args, value, where)
        if origin is tuple:
            return tuple(self._items(args[0], value, where, check))
        if origin is dict:
            return dict(self._pairs(args[1], value, where, check))
        if dataclasses.is_dataclass(hint):
            short = getattr(hint, SHORT, "")
            given = {short: value} if short and isinstance(value, str) else value
            return self.record(typing.cast(type, hint), given, where)
        kind = KINDS[hint]
        if wrong := misfit(kind, value):
            raise Wrong(where, wrong, advice(kind, value))
        return _checked(value, where, check)

    def _items(self, hint: Any, value: object, where: str, check: Check | None) -> Iterator[object]:
        if not isinstance(value, list):
            raise Wrong(where, f"expected a list, found {describe(value)}")
        for n, item in enumerate(value):
            try:
                yield self._value(hint, item, f"{where}[{n}]", check)
            except Wrong as wrong:
                self.report_wrong(wrong)

    def _pairs(
        self, hint: Any, value: object, where: str, check: Check | None
    ) -> Iterator[tuple[str, object]]:
        if not isinstance(value, dict):
            raise Wrong(where, f"expected a mapping, found {describe(value)}")
        for name, item in value.items():
            try:
                yield name, self._value(hint, item, f"{where}.{name}", check)
            except Wrong as wrong:
                self.report_wrong(wrong)

    def _unknown(self, where: str, name: str, known: Mapping[str, object]) -> None:
        message = f"`{where}` is not known, so it has no effect"
        place = self.places.keys.get(where, (0, 0))
        self._say(place, self.places.unknown, message, partial(did_you_mean, name, known))

    def _say(self, place: tuple[int, int], code: str, message: str, hint: Hint) -> None:
        """Keep a diagnostic, unless there are enough of its code."""
        count = self._counts[code] = self._counts[code] + 1
        if count <= MOST_FOUND:
            more = " (and there are more of these)" if count == MOST_FOUND else ""
            self.found.append(Diagnostic(self.places.file, *place, code, message + more, found(hint)))


def _choice(args: tuple[object, ...], value: object, where: str) -> object:
    if value in args and isinstance(value, str):
        return value
    names = [str(arg) for arg in args]
    wrong = f"expected {alternatives(names)}, found {describe(value)}"
    raise Wrong(where, wrong, did_you_mean(str(value), names))


def _checked(value: object, where: str, check: Check | None) -> object:
    if check is None or not isinstance(value, str):
        return value
    try:
        return check(value)
    except ValueError as error:
        raise Wrong(where, *map(str, error.args)) from None
