"""Whether answers are as the API's own document says; every test's client looks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator

from server.pages.endpoints import DOCUMENT, VERSION_BASE
from server.pages.openapi import document

DESCRIBED: Mapping[str, Any] = document()


def assert_described(method: str, target: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """An endpoint's answer has a status, headers and a body that the document knows; `headers` in lower case.

    Another answer below the API's address is a failure.
    """
    path = urlsplit(target).path
    if method == "HEAD" or (path == DOCUMENT and status == 200):
        return
    operation = DESCRIBED["paths"].get(path.removeprefix(VERSION_BASE), {}).get(method.lower())
    if operation is None:
        _validator(json.dumps({"$ref": "#/components/schemas/Failure"})).validate(json.loads(body))
        return
    answer = operation["responses"].get(str(status))
    assert answer is not None, f"{method} {path} may not answer {status}: {body!r}"
    for name, header in answer["headers"].items():
        assert name.lower() in headers, f"{method} {path} must not answer {status} without {name}"
        told = headers[name.lower()]
        schema = DESCRIBED["components"]["headers"][header["$ref"].rpartition("/")[2]]["schema"]
        _validator(json.dumps(schema)).validate(int(told) if schema.get("type") == "integer" else told)
    if "content" not in answer:
        assert body == b""
        return
    kind = headers["content-type"].partition(";")[0]
    assert kind in answer["content"], f"{method} {path} may not answer with {kind}"
    value = json.loads(body) if kind == "application/json" else body.decode()
    _validator(json.dumps(answer["content"][kind]["schema"])).validate(value)


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator({**json.loads(schema), "components": DESCRIBED["components"]})
