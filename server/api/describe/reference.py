"""The page of Twinpress's own documentation that lists one API, made from its OpenAPI document.

The fields of its JSON schemas are told in people's words, one row each.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from server.api.describe.openapi import document
from server.api.describe.responses import JSON
from server.api.describe.table import Group
from server.http.error_codes import STATUS

Json = Mapping[str, Any]

_PLACES = {"Path": "path", "Query": "query", "Headers": "header"}
_BETWEEN = "\n\n"
_ERRORS = """\
## Errors

`code` is for programs, `error` is for people: it names the field or the line, and often the way out. Codes
that only some endpoints have are listed with them above.

| Status | Code | Meaning |
| --- | --- | --- |
"""
_REFUSED = """\
## What no key may do

The answer to these is always a refusal.

| Request | What it would do | Answer |
| --- | --- | --- |
"""
_ANSWERS = """\
## Headers of answers

| Header | Where | Meaning |
| --- | --- | --- |
"""


class Operation(Struct, frozen=True):
    """One request of the document, with the address that its path is below."""

    base: str
    method: str
    path: str
    told: Json

    @property
    def name(self) -> str:
        """The operation's name in the table."""
        return str(self.told["operationId"])

    @property
    def codes(self) -> set[str]:
        """The codes of its failures."""
        return {code for _, codes in self.refused() for code in codes}

    def refused(self) -> Iterator[tuple[str, list[str]]]:
        """Each bad status with its codes."""
        for status, answer in self.told["responses"].items():
            if status >= "400":
                yield status, answer["content"][JSON]["schema"]["allOf"][1]["properties"]["code"]["enum"]

    @property
    def body(self) -> Json:
        """The body of the request, empty when it has none."""
        return self.told.get("requestBody", {}).get("content", {}).get(JSON, {})  # type: ignore[no-any-return]

    def values(self, place: str) -> Iterator[tuple[str, str]]:
        """The parameters that the example has at this place."""
        for told in self.told.get("parameters", ()):
            if told["in"] == place and "example" in told:
                value = told["example"]
                yield told["name"], value if isinstance(value, str) else json.dumps(value)

    @property
    def answer(self) -> Json:
        """The schema of a success, empty for what is always refused."""
        status, first = next(iter(self.told["responses"].items()))
        if status >= "400":
            return {}
        return first["content"][JSON]["schema"]["properties"]["data"]  # type: ignore[no-any-return]


def page(group: Group, head: str, server: str, elsewhere: Collection[str] = ()) -> str:
    """Return the page's source: `head` is what it begins with, and `server` the address of the examples.

    Operations that are described `elsewhere` have pages of their own.
    """
    described = document([group])
    operations = _operations(described, server)
    always = _always(operations)
    refused = _refused([one for one in operations if not one.answer], always)
    here = [one for one in operations if one.answer and one.name not in elsewhere]
    endpoints = [_endpoint(described, one, always) for one in here]
    return "\n".join([head, *endpoints, *refused, _headers(described, operations), _errors(group)])


def part(group: Group, head: str, server: str, names: Collection[str]) -> str:
    """Return the source of a page with some of the group's operations alone."""
    described = document([group])
    operations = _operations(described, server)
    always = _always(operations)
    return "\n".join([head, *(_endpoint(described, one, always) for one in operations if one.name in names)])


def _operations(described: Json, server: str) -> list[Operation]:
    base = server + described["servers"][0]["url"]
    return [
        Operation(base, method.upper(), path, told)
        for path, methods in described["paths"].items()
        for method, told in methods.items()
    ]


def _always(operations: Iterable[Operation]) -> set[str]:
    """Return the codes that any request may have."""
    return set.intersection(*(one.codes for one in operations))


def _endpoint(described: Json, one: Operation, always: set[str]) -> str:
    attributes = {"method": one.method, "path": one.path, "baseUrl": one.base, "auth": "required"}
    attributes |= {"summary": one.told["summary"], "id": one.told["operationId"]}
    opening = "\n".join(f'  {name}="{value}"' for name, value in attributes.items())
    parts = [
        one.told["description"],
        *(_params(title, _parameters(one, place)) for title, place in _PLACES.items()),
        _params("Body", fields(described, one.body["schema"], required=True) if one.body else ()),
        _params("Answer", fields(described, one.answer, required=False) if one.answer else ()),
        _statuses(one, always),
        _example(one),
    ]
    inner = "\n\n".join(part for part in parts if part)
    return f"<Endpoint\n{opening}\n>\n\n{inner}\n\n</Endpoint>\n"


def _refused(operations: Iterable[Operation], always: set[str]) -> Iterator[str]:
    """One table of what is always refused; nothing where there is no such thing."""
    rows = []
    for one in operations:
        codes = [f"{status} `{code}`" for status, all in one.refused() for code in all if code not in always]
        rows.append(f"| `{one.method} {one.path}` | {one.told['summary']} | {', '.join(codes)} |")
    if rows:
        yield _REFUSED + "\n".join(rows) + "\n"


def _parameters(one: Operation, place: str) -> Iterator[SchemaField]:
    return (SchemaField.of_parameter(told) for told in one.told.get("parameters", ()) if told["in"] == place)


def _params(title: str, rows: Iterable[SchemaField]) -> str:
    told = [f"  <Param{row.attributes}>\n    {row.meaning}\n  </Param>" for row in rows]
    return f'<Params title="{title}">\n{_BETWEEN.join(told)}\n</Params>' if told else ""


def _statuses(one: Operation, always: set[str]) -> str:
    rows = ["| Status | Meaning |", "| --- | --- |"]
    for status, answer in one.told["responses"].items():
        if status < "400":
            rows.append(f"| {status} | {answer['description']} |")
    for status, codes in one.refused():
        own = [f"`{code}`" for code in codes if code not in always]
        rows += [f"| {status} | {', '.join(own)} |"] if own else []
    return "\n".join(rows)


def _example(one: Operation) -> str:
    shown = [answer["content"][JSON] for answer in one.told["responses"].values() if "content" in answer]
    answered = [_pretty(answer["example"]) for answer in shown if "example" in answer]
    fences = [("sh", "Request", _curl(one)), *(("json", "Answer", text) for text in answered)]
    inner = _BETWEEN.join(f'```{language} title="{title}"\n{text}\n```' for language, title, text in fences)
    return f"<CodeGroup>\n\n{inner}\n\n</CodeGroup>"


def _curl(one: Operation) -> str:
    query = "&".join(f"{name}={value}" for name, value in one.values("query"))
    path = one.path
    for name, value in one.values("path"):
        path = path.replace(f"{{{name}}}", value)
    address = shlex.quote(one.base + path + (f"?{query}" if query else ""))
    verb = "" if one.method == "GET" else f" -X {one.method}"
    lines = [f"curl{verb} {address}", '-H "Authorization: Bearer $KEY"']
    lines += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in one.values("header")]
    if "example" in one.body:
        lines += [f"-H 'Content-Type: {JSON}'", f"-d {shlex.quote(_pretty(one.body['example']))}"]
    return " \\\n  ".join(lines)


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _headers(described: Json, operations: Iterable[Operation]) -> str:
    """Each header with the statuses that have it."""
    names: dict[str, str] = {}
    having: dict[str, set[str]] = {}
    for one in operations:
        for status, answer in one.told["responses"].items():
            for name, reference in answer["headers"].items():
                place = reference["$ref"].rpartition("/")[2]
                names[place] = name
                having.setdefault(place, set()).add(status)
    every = set().union(*having.values())
    rows = []
    for place, header in described["components"]["headers"].items():
        where = "all" if having[place] == every else ", ".join(sorted(having[place]))
        rows.append(f"| `{names[place]}` | {where} | {header['description']} |")
    return _ANSWERS + "\n".join(rows) + "\n"


def _errors(group: Group) -> str:
    rows = (f"| {STATUS[code]} | `{code}` | {meaning} |" for code, meaning in group.meanings.items())
    return _ERRORS + "\n".join(rows) + "\n"


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
        """The attributes in the tag of its `Param`."""
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
            inner, below = _object_in(described, inner["items"]), f"{inside}{name}[]."
        if "properties" in inner:
            yield from fields(described, inner, required=required, inside=below)


def _object_in(described: Json, schema: Json) -> Json:
    """The schema, or of several that are possible the one of an object."""
    every = [_resolved(described, one) for one in schema.get("anyOf", (schema,))]
    return next((one for one in every if "properties" in one), every[0])


def type_of(described: Json, schema: Json) -> str:
    """The type in words: `text`, `number or null`, `list of objects`; `value` for one of any type."""
    schema = _resolved(described, schema)
    if schema.get("title") == "Value":
        return "value"
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
    """Resolve a reference; msgspec wraps one in `allOf` when there is more to say."""
    reference = schema.get("$ref") or next((one.get("$ref") for one in schema.get("allOf", ())), None)
    if reference is None:
        return schema
    return described["components"]["schemas"][reference.rpartition("/")[2]]  # type: ignore[no-any-return]


def _if_there(schema: Json) -> Json:
    """Return the schema of a value that may also be null."""
    return next((one for one in schema.get("anyOf", ()) if one.get("type") != "null"), schema)


def _default(schema: Json) -> str:
    value = schema.get("default")
    return "" if value in _OBVIOUS else value if isinstance(value, str) else json.dumps(value)
