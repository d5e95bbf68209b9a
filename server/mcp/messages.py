"""Messages of the protocol (JSON-RPC 2.0), read strictly, and the errors that are answered to them.

Each message stands alone: nothing is known of those before it. Knows neither HTTP nor what is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from server.http import strict_json
from server.http.failure import Failure

Json = dict[str, Any]

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
HEADER_MISMATCH, UNSUPPORTED_REVISION = -32020, -32022
"""Codes that revision 2026-07-28 defines."""

_MOST_ID = 2**53 - 1
"""Whole numbers that every reader of JSON understands alike."""
_LONGEST_ID = 256
_QUOTED = 80

ENCODER = msgspec.json.Encoder()


class ProtocolError(Exception):
    """A message that is answered with an error; `data` goes with it."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Unreadable(ProtocolError):
    """A message whose id could not be read: the error that is answered has none."""


class Message(Struct, frozen=True):
    """A request, or a notification where `id` is None."""

    method: str
    params: Json = field(default_factory=dict)
    id: str | int | None = None

    @property
    def meta(self) -> Json:
        """The parameter `_meta`, empty where there is none."""
        found = self.params.get("_meta", {})
        return found if isinstance(found, dict) else {}


def read(data: bytes) -> Message:
    """Read one message. Raises Unreadable; faults of its parameters come later, as they have its id."""
    try:
        value = strict_json.loads(data)
    except Failure as failure:
        raise Unreadable(PARSE_ERROR, failure.message) from None
    if isinstance(value, list):
        raise Unreadable(INVALID_REQUEST, "send one message at a time: there are no batches here")
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise Unreadable(INVALID_REQUEST, 'a message is an object with `"jsonrpc": "2.0"`')
    return _message(value)


def _message(value: Json) -> Message:
    method, id, params = value.get("method"), value.get("id"), value.get("params", {})
    if "id" in value and not _is_id(id):
        raise Unreadable(INVALID_REQUEST, "id: expected a text or a whole number")
    if not isinstance(method, str):
        raise Unreadable(INVALID_REQUEST, "method: expected a text")
    if not isinstance(params, dict):
        raise Unreadable(INVALID_REQUEST, "params: expected an object")
    return Message(method, params, id)


def _is_id(id: object) -> bool:
    if isinstance(id, str):
        return len(id) <= _LONGEST_ID
    return isinstance(id, int) and not isinstance(id, bool) and abs(id) <= _MOST_ID


def result(id: str | int | None, value: Json) -> bytes:
    """The response to a request that went well."""
    return ENCODER.encode({"jsonrpc": "2.0", "id": id, "result": value})


def error(id: str | int | None, fault: ProtocolError) -> bytes:
    """The response to a request that went wrong; without an id where that could not be read."""
    told: Json = {"code": fault.code, "message": whole(fault.message)}
    if fault.data is not None:
        told["data"] = fault.data
    known = {} if id is None else {"id": id}
    return ENCODER.encode({"jsonrpc": "2.0", **known, "error": told})


def whole(text: str) -> str:
    """Return text that can be sent as UTF-8, whatever was quoted in it."""
    return text.encode(errors="replace").decode()


def text_of(params: Json, name: str) -> str | None:
    """A parameter that is a text, None where it is not given. Raises ProtocolError."""
    value = params.get(name)
    if value is not None and not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f"{name}: expected a text")
    return value


def needed(params: Json, name: str) -> str:
    """A parameter that must be there, and is a text. Raises ProtocolError."""
    value = text_of(params, name)
    if value is None:
        raise ProtocolError(INVALID_PARAMS, f"{name}: is missing")
    return value


def quoted(text: str) -> str:
    """Text of a client, short enough for a message."""
    return whole(text[:_QUOTED])
