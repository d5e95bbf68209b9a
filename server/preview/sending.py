"""Send bytes or a file of the site: conditional requests, ranges (a video's player needs them), HEAD."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BytesIO
from types import MappingProxyType
from typing import BinaryIO

from aiohttp import ETag, hdrs, web
from msgspec import Struct

PIECE = 256 * 1024
NONE: Mapping[str, str] = MappingProxyType({})
_LAST_NONE = re.compile("bytes=-0+", re.IGNORECASE)


class Content(Struct, frozen=True):
    """Something to send: its `size` in bytes, its `etag` without quotes, and how to open it for reading."""

    type: str
    size: int
    etag: str
    open: Callable[[], BinaryIO]


def of_bytes(data: bytes, content_type: str) -> Content:
    """Return bytes of the build as content."""
    return Content(content_type, len(data), digest(data), lambda: BytesIO(data))


def of_file(opener: Callable[[], BinaryIO], content_type: str) -> Content:
    """A file of the site, read piece by piece when it is sent; raises what `opener` does."""
    with opener() as file:
        status = os.fstat(file.fileno())
    return Content(content_type, status.st_size, f"{status.st_mtime_ns:x}-{status.st_size:x}", opener)


def digest(data: bytes) -> str:
    """A short name for these bytes."""
    return hashlib.blake2b(data, digest_size=10).hexdigest()


async def send(
    request: web.Request, content: Content, status: int, headers: Mapping[str, str] = NONE
) -> web.StreamResponse:
    """Answer `request` with `content`, and with these headers whatever the answer is."""
    if status == 200 and _has(request, content.etag):
        return _headed(web.Response(status=304, headers=headers), content)
    part = _wanted(request, content) if status == 200 and request.method == hdrs.METH_GET else None
    if part is not None and part.start >= part.stop:
        response = web.Response(status=416, headers=headers)
        response.headers[hdrs.CONTENT_RANGE] = f"bytes */{content.size}"
        return response
    return await _stream(request, content, web.StreamResponse(status=status, headers=headers), part)


def _has(request: web.Request, etag: str) -> bool:
    """Return whether the client's copy is this very content."""
    return any(known.value in (etag, "*") for known in request.if_none_match or ())


def _wanted(request: web.Request, content: Content) -> range | None:
    """The bytes asked for; None for all of them, as for a range that is not understood (RFC 9110, 14.2)."""
    condition = request.headers.get(hdrs.IF_RANGE)
    if hdrs.RANGE not in request.headers or (condition and condition != f'"{content.etag}"'):
        return None
    try:
        asked = request.http_range
    except ValueError:
        return None
    if asked.start is None and asked.stop is None:
        return None
    # "The last 0 bytes" are none, though the parsed form is that of all bytes (RFC 9110, 14.1.2).
    none = _LAST_NONE.fullmatch(request.headers[hdrs.RANGE])
    if none or (asked.start is not None and asked.start >= content.size):
        return range(0)
    return range(*asked.indices(content.size))


async def _stream(
    request: web.Request, content: Content, response: web.StreamResponse, part: range | None
) -> web.StreamResponse:
    _headed(response, content)
    response.headers[hdrs.CONTENT_TYPE] = content.type
    response.headers[hdrs.ACCEPT_RANGES] = "bytes"
    wanted = range(content.size)
    if part is not None:
        wanted = part
        response.set_status(206)
        response.headers[hdrs.CONTENT_RANGE] = f"bytes {part.start}-{part.stop - 1}/{content.size}"
    response.content_length = len(wanted)
    await response.prepare(request)
    if request.method != hdrs.METH_HEAD:
        with suppress(ConnectionError):  # players and browsers leave as soon as they have enough
            await _copy(content, wanted, response)
    return response


async def _copy(content: Content, wanted: range, response: web.StreamResponse) -> None:
    """Write the bytes in `wanted`.

    A file that has become shorter is cut off: the connection ends before the announced length, as it must.
    """
    with content.open() as source:
        source.seek(wanted.start)
        left = len(wanted)
        while left:
            piece = await asyncio.to_thread(source.read, min(PIECE, left))
            if not piece:
                response.force_close()
                return
            await response.write(piece)
            left -= len(piece)


def _headed(response: web.StreamResponse, content: Content) -> web.StreamResponse:
    response.etag = ETag(content.etag)
    # The script in the page compares this with what the event stream tells about the page.
    response.headers["Server-Timing"] = f'page;desc="{content.etag}"'
    return response
