"""The document that describes APIs to programs (OpenAPI 3.1), made of the tables of their endpoints.

Knows no HTTP server. What it says is all taken from elsewhere: the structs, the codes and the examples.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from builder.version import VERSION
from server.api.describe.responses import JSON, SCHEMAS, described, failure, ref, refusals, success
from server.api.describe.table import VERSION_BASE, Endpoint, Example, Group, Parameter

Json = dict[str, Any]

_ABOUT = (
    "Every answer is `{ok: true, data}` or `{ok: false, error, code}`; this document alone is bare, and "
    "needs no key."
)


def document(groups: Sequence[Group]) -> Json:
    """The whole document of these groups, as JSON values."""
    about = " ".join([*(group.about for group in groups), _ABOUT])
    return {
        "openapi": "3.1.0",
        "info": {"title": "Twinpress API", "version": VERSION, "description": about},
        "servers": [{"url": VERSION_BASE}],
        "security": [{group.scheme: []} for group in groups],
        "tags": [{"name": group.name, "description": group.meaning} for group in groups],
        "paths": {path: item for group in groups for path, item in _paths(group, alone=len(groups) == 1)},
        "components": {
            "schemas": schemas(groups),
            "headers": described(groups),
            "securitySchemes": {group.scheme: _scheme(group) for group in groups},
        },
    }


def schemas(groups: Sequence[Group]) -> Json:
    """Every struct as a JSON schema, by its name, and what a failure is."""
    structs = [struct for group in groups for struct in _structs(group)]
    _, found = msgspec.json.schema_components(structs, ref_template=SCHEMAS + "{name}", schema_hook=_any)
    for schema in found.values():
        schema["description"] = inspect.cleandoc(schema["description"])
    own = {name: dict(schema) for group in groups for name, schema in group.schemas.items()}
    return {**found, **own, "Failure": failure(groups)}


def _structs(group: Group) -> Iterator[type[msgspec.Struct]]:
    for endpoint in group.endpoints:
        if endpoint.result:
            yield endpoint.result
        if endpoint.body:
            yield endpoint.body


def _any(_: type) -> Json:
    return {"description": "Any JSON value."}


def _scheme(group: Group) -> Json:
    return {"type": "http", "scheme": "bearer", "description": group.keys}


def _paths(group: Group, *, alone: bool) -> Iterator[tuple[str, Json]]:
    """Each path with what it does. Where the group is not alone, its operations say whose keys they take."""
    own: Json = {} if alone else {"security": [{group.scheme: []}]}
    for path, methods in group.by_path().items():
        yield (
            group.base + path,
            {method.lower(): _operation(group, endpoint) | own for method, endpoint in methods.items()},
        )


def _operation(group: Group, endpoint: Endpoint) -> Json:
    example = group.examples[endpoint.operation]
    made: Json = {
        "operationId": endpoint.operation,
        "tags": [group.name],
        "summary": endpoint.summary,
        "description": endpoint.meaning,
    }
    if endpoint.parameters:
        made["parameters"] = [_parameter(one, example) for one in endpoint.parameters]
    if endpoint.body:
        content = {JSON: _body(endpoint.body, example)}
        made["requestBody"] = {"required": endpoint.body_required, "content": content}
    made["responses"] = {
        **{str(status): success(endpoint, status, example) for status in endpoint.successes},
        **{str(status): refusal for status, refusal in refusals(group, endpoint)},
    }
    return made


def _parameter(parameter: Parameter, example: Example) -> Json:
    made = {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.required,
        "description": parameter.meaning,
        "schema": dict(parameter.schema),
    }
    if parameter.name in example.parameters:
        made["example"] = _typed(example.parameters[parameter.name], parameter)
    return made


def _typed(text: str, parameter: Parameter) -> object:
    """Return the value of an example as its schema has it; in a query all of them are texts."""
    if parameter.schema.get("type") in {"integer", "boolean"}:
        return msgspec.json.decode(text)
    return text


def _body(struct: type[msgspec.Struct], example: Example) -> Json:
    shown = {"example": msgspec.to_builtins(example.body)} if example.body is not None else {}
    return {"schema": ref(struct), **shown}
