"""Checks that answers are as an OpenAPI document says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator

from server.api.describe.openapi import document
from server.api.describe.table import DOCUMENT, VERSION_BASE, Group


class Described:
    """The document of some APIs."""

    def __init__(self, *groups: Group) -> None:
        self.document: Mapping[str, Any] = document(groups)
        self._validators: dict[str, Draft202012Validator] = {}

    def check(self, method: str, target: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """An endpoint's answer has a status, headers and a body that are known; `headers` in lower case.

        Another answer below the address of the APIs is a failure.
        """
        path = urlsplit(target).path
        if method == "HEAD" or (path == DOCUMENT and status == 200):
            return
        operation = self._methods(path).get(method.lower())
        if operation is None:
            self._validate({"$ref": "#/components/schemas/Failure"}, json.loads(body))
            return
        answer = operation["responses"].get(str(status))
        assert answer is not None, f"{method} {path} may not answer {status}: {body!r}"
        self._check_headers(f"{method} {path}", status, answer["headers"], headers)
        if "content" not in answer:
            assert body == b""
            return
        kind = headers["content-type"].partition(";")[0]
        assert kind in answer["content"], f"{method} {path} may not answer with {kind}"
        if "schema" in answer["content"][kind]:
            value = json.loads(body) if kind == "application/json" else body.decode()
            self._validate(answer["content"][kind]["schema"], value)

    def _methods(self, path: str) -> Mapping[str, Any]:
        for known, methods in self.document["paths"].items():
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", VERSION_BASE + known), path):
                return methods
        return {}

    def _check_headers(
        self, asked: str, status: int, wanted: Mapping[str, Any], headers: Mapping[str, str]
    ) -> None:
        assert "retry-after" not in headers or "Retry-After" in wanted, f"{asked}: {status} says Retry-After"
        for name, reference in wanted.items():
            header = self.document["components"]["headers"][reference["$ref"].rpartition("/")[2]]
            told, schema = headers.get(name.lower()), header["schema"]
            if told is None:
                assert not header.get("required"), f"{asked} must not answer {status} without {name}"
            else:
                self._validate(schema, int(told) if schema.get("type") == "integer" else told)

    def _validate(self, schema: Mapping[str, Any], value: object) -> None:
        key = json.dumps(schema)
        if key not in self._validators:
            whole = {**schema, "components": self.document["components"]}
            self._validators[key] = Draft202012Validator(whole)
        self._validators[key].validate(value)
