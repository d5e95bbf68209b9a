"""Read the body of a request, and look again at who sends it: it may take half a minute or more to come."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from aiohttp import BodyPartReader, MultipartReader, web
from aiohttp.http_exceptions import HttpProcessingError
from msgspec import Struct

from server.http.body_bytes import body_bytes
from server.http.failure import Failure
from server.http.limits import AtOnce, BodyLimits

STRANGERS = BodyLimits(body_bytes=32 * 1024)
"""Of requests without a session: thousands at a time must not fill the memory."""


SMALL = 256 * 1024
"""Bytes of a form, as of most pages, of which there may be as many as there are connections."""
LARGE_AT_ONCE, ALL_LARGE_AT_ONCE = 4, 40
"""Larger ones of one account, and of all, at a time: each is in memory as a whole."""
_LARGE = AtOnce()
_CHUNK = 256 * 1024


class Sender(Struct, frozen=True):
    """The sender of a request: the account that is `known`, and a check of what was checked at its begin.

    It is "" for who is not signed in. The check raises what is wrong by now.
    """

    known: str
    check: Callable[[], None]


SENDER = web.RequestKey("sender", Sender)


async def whole_body(request: web.Request, limits: BodyLimits) -> bytes:
    """Return the body. Raises Failure, and what the check raises: a session may have ended meanwhile."""
    sender = request[SENDER]
    with _place(request, sender, limits):
        data = await body_bytes(request, limits if sender.known else STRANGERS)
    sender.check()
    return data


@contextmanager
def _place(request: web.Request, sender: Sender, limits: BodyLimits) -> Iterator[None]:
    """A place among large bodies on their way, for what may be one. Raises Failure."""
    size = limits.body_bytes if request.content_length is None else request.content_length
    if not sender.known or min(size, limits.body_bytes) <= SMALL:
        yield
        return
    with _LARGE.one(sender.known, LARGE_AT_ONCE, "person"), _LARGE.one("", ALL_LARGE_AT_ONCE, "service"):
        yield


async def take_parts(
    request: web.Request, seconds: float, take: Callable[[BodyPartReader], Awaitable[None]]
) -> None:
    """Have the parts of a form with files taken, one after another, within so many seconds.

    Raises Failure for what no form of ours sends, and, behind the last part, what the check raises.
    """
    if request.content_type != "multipart/form-data":
        raise Failure("UNSUPPORTED_MEDIA_TYPE", "this is no form of this page")
    try:
        async with asyncio.timeout(seconds):
            reader = await request.multipart()
            while (part := await _next_part(reader)) is not None:
                if isinstance(part, BodyPartReader):
                    await take(part)
    except TimeoutError:
        raise Failure("REQUEST_TIMEOUT", "the upload took too long", last=True) from None
    except (ValueError, HttpProcessingError):
        raise Failure("BAD_REQUEST", "this is no form of this page", last=True) from None
    request[SENDER].check()


async def _next_part(reader: MultipartReader) -> MultipartReader | BodyPartReader | None:
    """Return the next part, None behind the last. Raises ValueError, HttpProcessingError."""
    try:
        return await reader.next()
    except RuntimeError as error:  # of a default charset whose name is too long
        raise ValueError(str(error)) from error


async def take_file(part: BodyPartReader, file: BinaryIO, most: int, name: str) -> int:
    """Write a part behind what the file has, and return the bytes that it has then.

    Raises Failure for more than `most`, and says so of the `name`.
    """
    size = file.tell()
    while chunk := await part.read_chunk(_CHUNK):
        size += len(chunk)
        if size > most:
            raise Failure("BODY_TOO_LARGE", f"{name} has more than {most // 1024 // 1024} MB", last=True)
        await asyncio.to_thread(file.write, chunk)
    return size
