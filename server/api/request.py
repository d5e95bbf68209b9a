"""What a request says: its query and its JSON, read strictly."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from typing import TypeVar

import msgspec
from aiohttp import hdrs, web

from server.api import strict_json
from server.api.decode import convert
from server.api.door import PASS
from server.http.envelope import JSON
from server.http.failure import Failure
from server.http.limits import BodyLimits

T = TypeVar("T", bound=msgspec.Struct)

_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_SMALL = 32 * 1024
"""Bytes of a body that is read at once: others wait a millisecond or two."""
_SHORTER = " (text that is sent as UTF-8 is shorter than with `\\u` escapes)"
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def query(request: web.Request, *names: str) -> dict[str, str]:
    """The query's parameters, each of `names` at most once and no other. Raises Failure."""
    given: dict[str, str] = {}
    for name, value in request.query.items():
        if name not in names:
            known = ", ".join(f"`{one}`" for one in names) or "none"
            raise Failure("INVALID_QUERY", f"{name[:80]}: there is no such parameter (known: {known})")
        if name in given:
            raise Failure("INVALID_QUERY", f"{name}: is given twice")
        given[name] = value
    return given


def flag(request: web.Request, name: str) -> bool:
    """A parameter that is true or false, and false when it is not given."""
    value = query(request, name).get(name, "false")
    if value not in _FLAGS:
        raise Failure("INVALID_QUERY", f"{name}: expected `true` or `false`")
    return _FLAGS[value]


async def body(
    request: web.Request, kind: type[T], limits: BodyLimits, threads: Executor, absent: bytes = b""
) -> T:
    """The request's JSON as a struct. Raises Failure. A large one is read in one of the `threads`.

    The key must still be good when all of the body is there. `absent` is what no body stands for, such as
    `{}` where there need not be one.
    """
    given = request.headers.get(hdrs.CONTENT_TYPE)
    if given is not None and (request.content_type != JSON or not _utf8(request)):
        raise Failure("UNSUPPORTED_MEDIA_TYPE", f"send `Content-Type: {JSON}`, not `{given[:80]}`")
    if request.headers.get(hdrs.CONTENT_ENCODING, "identity") != "identity":
        raise Failure("UNSUPPORTED_MEDIA_TYPE", "send the body as it is, without `Content-Encoding`")
    try:
        async with asyncio.timeout(limits.body_seconds):
            data = await _bytes(request, limits.body_bytes) or absent
    except TimeoutError:
        message = f"the body took longer than {limits.body_seconds:g} s"
        raise Failure("REQUEST_TIMEOUT", message, last=True) from None
    except web.RequestPayloadError:
        raise Failure("BAD_REQUEST", "the body is not what its headers say", last=True) from None
    request[PASS].check()
    if len(data) < _SMALL:
        return _read(data, kind)
    return await asyncio.get_running_loop().run_in_executor(threads, _read, data, kind)


def _read(data: bytes, kind: type[T]) -> T:
    return convert(strict_json.loads(data), kind)


async def _bytes(request: web.Request, most: int) -> bytes:
    too_large = Failure("BODY_TOO_LARGE", f"a request's body may have {most:,} bytes{_SHORTER}", last=True)
    if request.content_length is not None and request.content_length > most:
        raise too_large
    if request.headers.get(hdrs.EXPECT, "").lower() == "100-continue":
        await _continue(request)
    pieces, size = [], 0
    async for piece in request.content.iter_any():
        size += len(piece)
        if size > most:
            raise too_large
        pieces.append(piece)
    return b"".join(pieces)


def _utf8(request: web.Request) -> bool:
    try:
        return request.charset is None or request.charset.lower() in _CHARSETS
    except LookupError:
        return False


async def _continue(request: web.Request) -> None:
    """Tell the client to send the body now (RFC 9110, 10.1.1)."""
    transport = request.transport
    if transport is not None:
        transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
