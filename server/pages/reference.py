"""The page of Twinpress's own documentation that lists the API, made from the OpenAPI document.

`python -m server.pages.reference DIR` writes it below the documentation folder DIR.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from server.pages.failure import STATUS
from server.pages.fields import Field, fields
from server.pages.meanings import MEANINGS
from server.pages.openapi import JSON, document

Json = Mapping[str, Any]

PAGE = "reference/authoring-api.mdx"
ADDRESS = "http://127.0.0.1:8000"
_HEAD = """\
---
title: Authoring API
description: Every endpoint by which agents and scripts read and write the pages of a site.
sidebar_position: 7
---

[`twinpress serve`](./command-line/serve.mdx) answers these requests while it runs. To begin with, read
[Let an agent write](../writing/agents.mdx). For programs, the same is in an OpenAPI 3.1 document at
`/api/v1/openapi.json`, which needs no key.

Each request has a [key](./command-line/key.mdx) in the header `Authorization: Bearer <KEY>`. The key opens
one site. Bodies are JSON. Each answer is `{"ok": true, "data": ...}` or
`{"ok": false, "error": "...", "code": "..."}`.

## Endpoints
"""
_PLACES = {"Query": "query", "Headers": "header"}
_BETWEEN = "\n\n"
_ERRORS = """\
## Errors

`code` is for programs, `error` is for people: it names the field or the line, and often the way out. Codes
that only some endpoints have are listed with them above.

| Status | Code | Meaning |
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
    def codes(self) -> set[str]:
        """What can go wrong with it."""
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


def page(described: Json) -> str:
    """The page's source, from an OpenAPI document."""
    base = ADDRESS + described["servers"][0]["url"]
    operations = [
        Operation(base, method.upper(), path, told)
        for path, methods in described["paths"].items()
        for method, told in methods.items()
    ]
    always = set.intersection(*(one.codes for one in operations))
    endpoints = (_endpoint(described, one, always) for one in operations)
    return "\n".join([_HEAD, *endpoints, _headers(described, operations), _errors()])


def _endpoint(described: Json, one: Operation, always: set[str]) -> str:
    attributes = {"method": one.method, "path": one.path, "baseUrl": one.base, "auth": "required"}
    attributes |= {"summary": one.told["summary"], "id": one.told["operationId"]}
    opening = "\n".join(f'  {name}="{value}"' for name, value in attributes.items())
    good = next(iter(one.told["responses"].values()))["content"][JSON]["schema"]["properties"]["data"]
    parts = [
        one.told["description"],
        *(_params(title, _parameters(one, place)) for title, place in _PLACES.items()),
        _params("Body", fields(described, one.body["schema"], required=True) if one.body else ()),
        _params("Answer", fields(described, good, required=False)),
        _statuses(one, always),
        _example(one),
    ]
    inner = "\n\n".join(part for part in parts if part)
    return f"<Endpoint\n{opening}\n>\n\n{inner}\n\n</Endpoint>\n"


def _parameters(one: Operation, place: str) -> Iterator[Field]:
    return (Field.of_parameter(told) for told in one.told.get("parameters", ()) if told["in"] == place)


def _params(title: str, rows: Iterable[Field]) -> str:
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
    answered = next(_pretty(answer["example"]) for answer in shown if "example" in answer)
    fences = (("sh", "Request", _curl(one)), ("json", "Answer", answered))
    inner = _BETWEEN.join(f'```{language} title="{title}"\n{text}\n```' for language, title, text in fences)
    return f"<CodeGroup>\n\n{inner}\n\n</CodeGroup>"


def _curl(one: Operation) -> str:
    known = [told for told in one.told.get("parameters", ()) if "example" in told]
    query = "&".join(f"{told['name']}={told['example']}" for told in known)
    address = shlex.quote(one.base + one.path + (f"?{query}" if query else ""))
    verb = "" if one.method == "GET" else f" -X {one.method}"
    lines = [f"curl{verb} {address}", '-H "Authorization: Bearer $KEY"']
    if one.body:
        lines += [f"-H 'Content-Type: {JSON}'", f"-d {shlex.quote(_pretty(one.body['example']))}"]
    return " \\\n  ".join(lines)


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _headers(described: Json, operations: Iterable[Operation]) -> str:
    """Each header with the statuses that have it."""
    having: dict[str, set[str]] = {}
    for one in operations:
        for status, answer in one.told["responses"].items():
            for name in answer["headers"]:
                having.setdefault(name, set()).add(status)
    every = set().union(*having.values())
    rows = []
    for name, header in described["components"]["headers"].items():
        where = "all" if having[name] == every else ", ".join(sorted(having[name]))
        rows.append(f"| `{name}` | {where} | {header['description']} |")
    return _ANSWERS + "\n".join(rows) + "\n"


def _errors() -> str:
    return _ERRORS + "\n".join(f"| {STATUS[code]} | `{code}` | {MEANINGS[code]} |" for code in STATUS) + "\n"


def main(arguments: list[str]) -> int:
    """Write the page; one argument, the documentation folder."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m server.pages.reference DIR\n")
        return 2
    file = Path(arguments[0]) / PAGE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page(document()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
