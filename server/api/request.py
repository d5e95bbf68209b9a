"""Read a request's query and JSON strictly; an error names the field that does not fit."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from typing import TypeVar, get_type_hints

import msgspec
from aiohttp import hdrs, web

from server.api.authentication import PASS
from server.http import strict_json
from server.http.body_bytes import body_bytes
from server.http.convert import convert, said
from server.http.envelope import JSON
from server.http.failure import Failure
from server.http.limits import BodyLimits

T = TypeVar("T", bound=msgspec.Struct)

_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_SMALL = 32 * 1024
"""Bytes of a body that is read at once: others wait a millisecond or two."""
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
        raise Failure("INVALID_QUERY", said(str(error), kind)) from None


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


def _utf8(request: web.Request) -> bool:
    try:
        return request.charset is None or request.charset.lower() in _CHARSETS
    except LookupError:
        return False
