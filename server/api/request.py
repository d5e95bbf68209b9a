"""Read a request's query and JSON strictly; an error names the field that does not fit."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import Executor
from typing import TypeVar, get_args, get_type_hints

import msgspec
from aiohttp import hdrs, web

from builder.diagnostics import did_you_mean
from server.api import strict_json
from server.api.authentication import PASS
from server.http.envelope import JSON
from server.http.failure import Failure
from server.http.limits import BodyLimits

T = TypeVar("T", bound=msgspec.Struct)

_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?:key in )?\$\.?(?P<place>[^`]*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`")
_WORDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_ENUM = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
_TYPES = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")


def convert(value: object, kind: type[T]) -> T:
    """The struct. Raises Failure with `INVALID_BODY`."""
    if not isinstance(value, dict):
        raise Failure("INVALID_BODY", "the body must be an object")
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        raise Failure("INVALID_BODY", _said(str(error), kind)) from None


def _said(message: str, kind: type[msgspec.Struct]) -> str:
    found = _PLACE.fullmatch(message)
    what, place = (found["what"], found["place"] or "") if found else (message, "")
    if missing := _MISSING.fullmatch(what):
        return f"{missing[1]}: is missing"
    if unknown := _UNKNOWN.fullmatch(what):
        names = kind.__struct_fields__
        hint = did_you_mean(unknown[1][:80], names) or "it may have " + ", ".join(
            f"`{name}`" for name in names
        )
        return f"{unknown[1][:80]}: there is no such field ({hint})"
    if other := _ENUM.fullmatch(what):
        what = f"expected {_choices(kind, place)}, found `{other[1][:80]}`"
    elif types := _TYPES.fullmatch(what):
        what = f"expected {_words(types[1])}, found {_words(types[2])}"
    return f"{place}: {what}" if place else what


def _choices(kind: type[msgspec.Struct], field: str) -> str:
    return " or ".join(f"`{name}`" for name in get_args(get_type_hints(kind).get(field)))


def _words(types: str) -> str:
    kinds = types.replace("int | float", "float").split(" | ")
    return " or ".join(_WORDS.get(one, one) for one in kinds)


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


def query_as(request: web.Request, kind: type[T]) -> T:
    """The query as a flat struct whose fields are texts, numbers and flags. Raises Failure."""
    given = query(request, *kind.__struct_fields__)
    flags = {name for name, type in get_type_hints(kind).items() if type is bool}
    values = {name: _FLAGS.get(value, value) if name in flags else value for name, value in given.items()}
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Failure("INVALID_QUERY", _said(str(error), kind)) from None


def flag(request: web.Request, name: str, *others: str) -> bool:
    """A parameter that is true or false, and false when it is not given; there may be `others` before it."""
    value = query(request, *others, name).get(name, "false")
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
    data = await body_bytes(request, limits) or absent
    request[PASS].check()
    if len(data) < _SMALL:
        return read_json(data, kind)
    return await asyncio.get_running_loop().run_in_executor(threads, read_json, data, kind)


def read_json(data: bytes, kind: type[T]) -> T:
    """The struct that the JSON is. Raises Failure."""
    return convert(strict_json.loads(data), kind)


async def body_bytes(request: web.Request, limits: BodyLimits) -> bytes:
    """All of the request's body. Raises Failure when it is too large, too slow, or unlike its headers."""
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _bytes(request, limits.body_bytes)
    except TimeoutError:
        message = f"the body took longer than {limits.body_seconds:g} s"
        raise Failure("REQUEST_TIMEOUT", message, last=True) from None
    except web.RequestPayloadError:
        raise Failure("BAD_REQUEST", "the body is not what its headers say", last=True) from None


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
