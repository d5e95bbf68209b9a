"""The document that describes the API to programs (OpenAPI 3.1), made of the table of endpoints.

Knows no HTTP server. What it says is all taken from elsewhere: the structs, the codes and the examples.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec

from builder.version import VERSION
from server.pages.endpoints import ENDPOINTS, PAGES, VERSION_BASE, Endpoint, Parameter, by_path
from server.pages.examples import EXAMPLES, Example
from server.pages.refusals import FAILURE, refusals
from server.pages.response_headers import HEADERS, headers
from server.pages.structs import VALUE_SCHEMA

Json = dict[str, Any]

JSON = "application/json"
SCHEMAS = "#/components/schemas/"
NOT_MODIFIED = 304
KEY = "key"
_ABOUT = (
    "Reads and writes the pages of a documentation site. Each key opens one site. Every answer is "
    "`{ok: true, data}` or `{ok: false, error, code}`; this document alone is bare, and needs no key."
)
_KEY_ABOUT = (
    "A key for one site: `dpk_` for one-off editing, valid for an hour, or `svc_docs_` for scripts and CI."
)


def document() -> Json:
    """The whole document, as JSON values."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Twinpress API", "version": VERSION, "description": _ABOUT},
        "servers": [{"url": VERSION_BASE}],
        "security": [{KEY: []}],
        "tags": [{"name": "pages", "description": "The pages of one site."}],
        "paths": {
            PAGES + path: {method.lower(): _operation(endpoint) for method, endpoint in methods.items()}
            for path, methods in by_path().items()
        },
        "components": {
            "schemas": schemas(),
            "headers": dict(HEADERS),
            "securitySchemes": {KEY: {"type": "http", "scheme": "bearer", "description": _KEY_ABOUT}},
        },
    }


def schemas() -> Json:
    """Every struct as a JSON schema, by its name, and what a failure is."""
    _, found = msgspec.json.schema_components(
        list(_structs()), ref_template=SCHEMAS + "{name}", schema_hook=_any
    )
    for schema in found.values():
        schema["description"] = inspect.cleandoc(schema["description"])
    return {**found, "Value": VALUE_SCHEMA, "Failure": FAILURE}


def _structs() -> Iterator[type[msgspec.Struct]]:
    for endpoint in ENDPOINTS:
        yield endpoint.result
        if endpoint.body:
            yield endpoint.body


def _any(_: type) -> Json:
    return {"description": "Any JSON value."}


def _operation(endpoint: Endpoint) -> Json:
    example = EXAMPLES[endpoint.operation]
    made: Json = {
        "operationId": endpoint.operation,
        "tags": ["pages"],
        "summary": endpoint.summary,
        "description": endpoint.meaning,
    }
    if endpoint.parameters:
        made["parameters"] = [_parameter(one, example) for one in endpoint.parameters]
    if endpoint.body:
        made["requestBody"] = {"required": True, "content": {JSON: _body(endpoint.body, example)}}
    made["responses"] = {
        **{str(status): _success(endpoint, status, example) for status in endpoint.successes},
        **{str(status): refusal for status, refusal in refusals(endpoint)},
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
        made["example"] = example.parameters[parameter.name]
    return made


def _body(struct: type[msgspec.Struct], example: Example) -> Json:
    return {"schema": _ref(struct), "example": msgspec.to_builtins(example.body)}


def _success(endpoint: Endpoint, status: int, example: Example) -> Json:
    schema = {
        "type": "object",
        "properties": {"ok": {"const": True}, "data": _ref(endpoint.result)},
        "required": ["ok", "data"],
        "additionalProperties": False,
    }
    told: Json = {"schema": schema}
    if status == example.status:
        told["example"] = {"ok": True, "data": msgspec.to_builtins(example.result)}
    content = {JSON: told, **({endpoint.also: {"schema": {"type": "string"}}} if endpoint.also else {})}
    made: Json = {"description": endpoint.successes[status], "headers": headers(endpoint, status)}
    if status == NOT_MODIFIED:
        return made
    made["content"] = content
    if endpoint.operation == "put":
        made["links"] = {name: _link(name) for name in ("page", "delete")}
    return made


def _link(operation: str) -> Json:
    """From a page that was written to what can be done with it."""
    return {"operationId": operation, "parameters": {"path": "$response.body#/data/path"}}


def _ref(struct: type[msgspec.Struct]) -> Json:
    return {"$ref": SCHEMAS + struct.__name__}
