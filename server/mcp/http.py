"""The protocol over HTTP: a message by POST, and its answer as JSON. No session, no stream, no cookie."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Mapping
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from msgspec import Struct, field

from server.http.body_bytes import body_bytes
from server.http.envelope import HEADERS, JSON
from server.http.failure import Failure
from server.http.limits import BodyLimits
from server.mcp import messages
from server.mcp.dispatch import McpService, respond
from server.mcp.messages import (
    HEADER_MISMATCH,
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Message,
    ProtocolError,
    Unreadable,
    quoted,
)
from server.mcp.revisions import MODERN, revision_over_http

READING = BodyLimits(body_bytes=64 * 1024, body_seconds=10.0)
"""Bounds on a question."""
METHOD_HEADER, NAME_HEADER, REVISION_HEADER = "Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"
_SMALL = 32 * 1024
"""Bytes of a message that is read at once: others wait a millisecond or two."""
_NAMED = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
"""The parameter that stands in `Mcp-Name` too, by method."""
_BEGIN, _END = "=?base64?", "?="
_STATUS = {METHOD_NOT_FOUND: 404, INTERNAL: 500}


class McpAnswer(Struct, frozen=True):
    """An answer as it is sent; with `last` the rest of the connection is not to be read."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    last: bool = False

    @property
    def all_headers(self) -> Mapping[str, str]:
        """Every header but the length."""
        kind = {"Content-Type": JSON} if self.body else {}
        return {**HEADERS, **kind, **self.headers}

    def response(self) -> web.Response:
        """The same for an application."""
        made = web.Response(body=self.body or None, status=self.status, headers=self.all_headers)
        if self.last:
            made.force_close()
        return made


async def read_post(request: web.BaseRequest, limits: BodyLimits) -> bytes:
    """Return the message in a request. Raises Failure for what is none by its headers, or too large."""
    check_origin(request)
    if request.content_type != JSON or request.headers.get(hdrs.CONTENT_ENCODING, "identity") != "identity":
        raise Failure("UNSUPPORTED_MEDIA_TYPE", f"send a message as it is, with `Content-Type: {JSON}`")
    return await body_bytes(request, limits)


def check_origin(request: web.BaseRequest) -> None:
    """Raise Failure where a page of another site has a browser ask: it could read what only this one may.

    That is so, too, where its name leads to this machine all at once (DNS rebinding).
    """
    given = request.headers.getall(hdrs.ORIGIN, [])
    if not given:
        return
    host = request.headers.get(hdrs.HOST, "").lower()
    try:
        asks = [urlsplit(each).netloc.lower() for each in given]
    except ValueError:
        asks = [""]
    if len(given) > 1 or not host or asks != [host]:
        raise Failure("UNKNOWN_HOST", "pages of other sites may not ask here")


async def answer(request: web.BaseRequest, data: bytes, service: McpService) -> McpAnswer:
    """Answer a message that has come with a request."""
    try:
        small = len(data) < _SMALL
        message = messages.read(data) if small else await asyncio.to_thread(messages.read, data)
    except Unreadable as fault:
        return _failed(None, fault, 400)
    try:
        return await _answered(request, message, service)
    except ProtocolError as fault:
        return _failed(message.id, fault, _status(request, message, fault))


async def _answered(request: web.BaseRequest, message: Message, service: McpService) -> McpAnswer:
    revision = revision_over_http(message, _one(request, REVISION_HEADER))
    if revision == MODERN and message.id is not None:
        _check_mirrored(request, message)
    body = await respond(service, message, revision)
    return McpAnswer(202) if body is None else McpAnswer(200, body)


def refused(failure: Failure) -> McpAnswer:
    """The answer to a request that is not read: a failure in the form of the protocol."""
    data = {"code": failure.code}
    body = messages.error(None, ProtocolError(INVALID_REQUEST, failure.message, data))
    return McpAnswer(failure.status, body, failure.headers, failure.last)


def _status(request: web.BaseRequest, message: Message, fault: ProtocolError) -> int:
    """The status of an error: older clients take 404 for the end of their session."""
    if message.id is None:
        return 400
    is_modern = request.headers.get(REVISION_HEADER) == MODERN or message.method == "server/discover"
    if is_modern or fault.code not in {METHOD_NOT_FOUND, INVALID_PARAMS}:
        return _STATUS.get(fault.code, 400)
    return 200


def _failed(id: str | int | None, fault: ProtocolError, status: int) -> McpAnswer:
    return McpAnswer(status, messages.error(id, fault))


def _check_mirrored(request: web.BaseRequest, message: Message) -> None:
    """Raise ProtocolError unless headers say what the message says: others may have looked at them alone."""
    _check(METHOD_HEADER, _one(request, METHOD_HEADER), message.method)
    parameter = _NAMED.get(message.method)
    if parameter is not None:
        value = message.params.get(parameter)
        _check(NAME_HEADER, _decoded(_one(request, NAME_HEADER)), value if isinstance(value, str) else "")


def _check(name: str, given: str | None, wanted: str) -> None:
    if given is None:
        raise ProtocolError(HEADER_MISMATCH, f"Header mismatch: {name} is missing")
    if given != wanted:
        told = f"Header mismatch: {name} has `{quoted(given)}`, and the body `{quoted(wanted)}`"
        raise ProtocolError(HEADER_MISMATCH, told)


def _one(request: web.BaseRequest, name: str) -> str | None:
    """A header that may stand there once. Raises ProtocolError."""
    values = request.headers.getall(name, [])
    if len(values) > 1:
        raise ProtocolError(HEADER_MISMATCH, f"Header mismatch: {name} is given twice")
    return values[0].strip() if values else None


def _decoded(value: str | None) -> str | None:
    """A header whose text may be written in base64. Raises ProtocolError."""
    if value is None or not (value.startswith(_BEGIN) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_BEGIN) : -len(_END)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise ProtocolError(HEADER_MISMATCH, f"Header mismatch: {NAME_HEADER} is no base64 of text") from None
