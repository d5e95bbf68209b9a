"""One API as a table: its routes are made of it, and so are the document and the page that describe it.

Knows no HTTP server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from server.http.error_codes import ordered

VERSION_BASE = "/api/v1"
DOCUMENT = f"{VERSION_BASE}/openapi.json"
"""Where the document is; it alone needs no key and has no envelope."""

Schema = Mapping[str, Any]
Method = Literal["GET", "PUT", "POST", "DELETE"]


class Parameter(Struct, frozen=True):
    """A parameter of a request, beside its body. `schema` is a JSON schema.

    One with the place `path` stands in the path of its endpoint as `{name}`.
    """

    name: str
    place: Literal["path", "query", "header"]
    meaning: str
    schema: Schema
    required: bool = False


def parameters_of(kind: type[Struct]) -> tuple[Parameter, ...]:
    """Return the parameters of a query that is read as this struct; each field needs a description."""
    _, found = msgspec.json.schema_components([kind])
    properties, required = found[kind.__name__]["properties"], found[kind.__name__].get("required", ())
    return tuple(
        Parameter(name, "query", schema["description"], _without(schema, "description"), name in required)
        for name, schema in properties.items()
    )


def _without(schema: Schema, name: str) -> Schema:
    return {key: value for key, value in schema.items() if key != name}


class Endpoint(Struct, frozen=True):
    """One request. `path` is below the group's base; `operation` names it, and the handler that answers.

    `successes` gives what each good status means, `codes` what can go wrong with it beside what can go wrong
    with any request; one that is always refused has no `result` and no successes. `also` is a media type in
    which the answer can be had without its envelope. `headers` are those of the group that a good answer has.
    `links` says how to go on from there: for other operations, where in the answer their parameters are.
    """

    operation: str
    method: Method
    path: str
    summary: str
    meaning: str
    result: type[Struct] | None
    codes: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    body: type[Struct] | None = None
    body_required: bool = True
    successes: Mapping[int, str] = field(default_factory=lambda: {200: "It is done."})
    also: str = ""
    headers: tuple[str, ...] = ()
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def query(self) -> tuple[str, ...]:
        """The names that its query may have."""
        return tuple(one.name for one in self.parameters if one.place == "query")


class Example(Struct, frozen=True):
    """A request and what is answered to it, with the values of its parameters by their names."""

    result: Struct | None
    status: int = 200
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: Struct | None = None


class Group(Struct, frozen=True):
    """One API: its endpoints below `base`, which is below `VERSION_BASE`.

    `about` introduces the document, `meaning` is what the tag `name` says. Its keys are those of the security
    scheme `scheme`, of which `keys` tells. `always` can go wrong with any of its requests, and `meanings`
    explains each of its codes. `examples` has one for each operation. `headers` and `schemas` are what the
    document describes beside what all groups have.
    """

    name: str
    base: str
    about: str
    meaning: str
    scheme: str
    keys: str
    endpoints: tuple[Endpoint, ...]
    always: tuple[str, ...]
    meanings: Mapping[str, str]
    examples: Mapping[str, Example]
    headers: Mapping[str, Schema] = field(default_factory=dict)
    schemas: Mapping[str, Schema] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The address on a server, from its root."""
        return VERSION_BASE + self.base

    def by_path(self) -> Mapping[str, Mapping[str, Endpoint]]:
        """Each path with its methods, in the order of the table."""
        found: dict[str, dict[str, Endpoint]] = {}
        for endpoint in self.endpoints:
            found.setdefault(endpoint.path, {})[endpoint.method] = endpoint
        return found

    def codes(self, endpoint: Endpoint) -> Mapping[str, str]:
        """Return the codes of an endpoint's failures, each explained.

        Raises KeyError for a code that is not explained.
        """
        return {code: self.meanings[code] for code in ordered((*self.always, *endpoint.codes))}
