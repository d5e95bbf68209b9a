"""Category files: what the sidebar says about a folder, read without ever failing and changed with care."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from builder.category.record import MAX_TEXT, CategoryRecord
from builder.diagnostics import Diagnostic
from builder.schema.kinds import FLAG, NUMBER, TEXT, misfit
from builder.schema.option import option
from builder.schema.record_reader import RecordReader
from builder.yaml import hints
from builder.yaml.check import check
from builder.yaml.hints import space_missing
from builder.yaml.positions import place, places
from builder.yaml.safe import Loaded, YamlFault, load
from builder.yaml.write import dump, edit, same

INVALID, UNKNOWN = "category-invalid", "category-unknown-key"
MAX_LABEL = 500
"""Characters."""

BOM = "\ufeff"
_TOO_LONG = f"longer than {MAX_TEXT // 1024} KiB"
_KINDS = {"label": TEXT, "position": NUMBER, "collapsed": FLAG}


@dataclass(frozen=True, slots=True)
class CategoryFields:
    """The fields of a category file; None where it says nothing."""

    label: str | None = option("The folder's name in the sidebar.", None, example="Guides")
    position: int | float | None = option(
        "The folder's place in the sidebar: lower is higher, fractions are fine.", None, example="2"
    )
    collapsed: bool | None = option("Whether the folder is closed at first.", None, example="false")
    variables: dict[str, str] = option(  # noqa: RUF009 - each instance gets a copy
        "Texts that `%{name}` stands for on the folder's pages, in `mdx`.", {}, example='{version: "2.4"}'
    )


class CategoryFault(Exception):
    """A category file that cannot be read, so that it cannot be changed either."""


def read(text: str, file: str, path: str) -> tuple[CategoryRecord, tuple[Diagnostic, ...]]:
    """The record in a category file (YAML, or JSON by its name) and what is wrong with it."""
    text = text.removeprefix(BOM)
    try:
        loaded = _load(text, file)
    except YamlFault as fault:
        found = Diagnostic(file, *place(text, fault.index), INVALID, fault.message, fault.hint)
        return CategoryRecord(path), (found,)
    if loaded.value is not None and not isinstance(loaded.value, dict):
        found = _no_mapping(text, file)
        return CategoryRecord(path), (found,)
    reader = RecordReader.of(loaded, places(text), file, INVALID, UNKNOWN)
    made: CategoryFields = reader.record(CategoryFields, loaded.value or {})
    label = " ".join(made.label.split()) if made.label is not None else None
    if label == "":
        reader.found.append(_empty(file, reader.places.values.get("label", (0, 0))))
    variables = {name: " ".join(text.split()) for name, text in reader.variables(made.variables)}
    record = CategoryRecord(path, label or None, made.position, made.collapsed, variables)
    return record, tuple(sorted(reader.found))


def _no_mapping(text: str, file: str) -> Diagnostic:
    mistake = space_missing(text)
    if mistake is not None:
        return Diagnostic(file, *place(text, mistake.at), INVALID, mistake.message, mistake.hint)
    return Diagnostic(file, 1, 1, INVALID, "expected a mapping of fields", "write `label: ...`")


def _empty(file: str, at: tuple[int, int]) -> Diagnostic:
    message = "`label`: is empty, so the folder's index page or name is the label"
    return Diagnostic(file, *at, "value-empty", message, "write a text, or remove the line")


def change(text: str, file: str, changes: Mapping[str, object]) -> str:
    """The text of a category file with some fields set and others (those that are None) cleared.

    Everything else in it stays, comments too; empty text means that nothing is left. Raises CategoryFault
    when the text cannot be read, or would be too long then, and ValueError for a field or value that a
    category cannot have.
    """
    for name, value in changes.items():
        _check(name, value)
    mark = BOM if text.startswith(BOM) else ""
    changed = _changed(text.removeprefix(BOM), file, changes)
    if _bytes(changed) > MAX_TEXT:
        raise CategoryFault(f"would be {_TOO_LONG}")
    return mark + changed if changed else ""


def _changed(text: str, file: str, changes: Mapping[str, object]) -> str:
    try:
        loaded = _load(text, file)
    except YamlFault as fault:
        raise CategoryFault(fault.message) from None
    current = loaded.value if isinstance(loaded.value, dict) else {}
    if loaded.value is not None and not isinstance(loaded.value, dict):
        raise CategoryFault("is no mapping of fields")
    wanted = {name: value for name, value in {**current, **changes}.items() if value is not None}
    if not wanted:
        return ""
    if file.endswith(".json"):
        return json.dumps(wanted, ensure_ascii=False, indent=2) + "\n"
    return _edited(text, current, wanted)


def _edited(text: str, current: Mapping[str, object], wanted: Mapping[str, object]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    edited = edit(text, current, wanted, newline)
    if not _reads_as(edited, wanted):
        edited = dump(wanted).replace("\n", newline)
    return edited if edited[-1:] in {"\r", "\n"} else edited + newline


def _reads_as(text: str, wanted: Mapping[str, object]) -> bool:
    """Return whether an edit has come out right; not so where a value had a name (`&a`) that others used."""
    try:
        return same(load(text, max_text=2 * MAX_TEXT).value, wanted)
    except YamlFault:
        return False


def _check(name: str, value: object) -> None:
    if name not in _KINDS:
        raise ValueError(f"{name}: a category has no such field")
    wrong = misfit(_KINDS[name], value) if value is not None else ""
    if wrong:
        raise ValueError(f"{name}: {wrong}")
    if isinstance(value, str) and len(value) > MAX_LABEL:
        raise ValueError(f"{name}: has {len(value):,} characters, and may have {MAX_LABEL:,}")
    check(value, name)


def _bytes(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def _load(text: str, file: str) -> Loaded:
    """The values of either kind of file. Raises YamlFault."""
    if _bytes(text) > MAX_TEXT:
        raise YamlFault(f"is {_TOO_LONG}", 0)
    if not file.endswith(".json") or not text.strip():
        return load(text, max_text=MAX_TEXT)
    try:
        value = json.loads(text, parse_constant=_no_constant)
        check(value, "")
    except json.JSONDecodeError as error:
        raise YamlFault(error.msg, error.pos, hints.json_hint(error)) from None
    except RecursionError:
        raise YamlFault("is nested too deeply", 0) from None
    except ValueError as error:
        at = hints.json_no_number(text)
        hint = "write a number such as `2.5`" if at else ""
        raise YamlFault(str(error).removeprefix(": "), at, hint) from None
    return Loaded(value, {}, {}, (), ())


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is no finite number")
