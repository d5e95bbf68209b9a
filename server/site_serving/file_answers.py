"""Answer with a file: all of it, a part, or that the client has it already."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from aiohttp import hdrs, web
from msgspec import Struct

from builder.errors import StorageError
from server.releases.release_store import ReleaseStore, object_key
from server.site_serving import request_headers
from server.site_serving.file_headers import FileForm
from server.site_serving.object_memory import PackedFile
from server.site_serving.raw_answer import PiecesAnswer, RawAnswer, encoded

PIECE = 256 * 1024


class FoundFile(Struct, frozen=True):
    """A file in the form in which it is answered, and its object in a store."""

    store: ReleaseStore
    form: FileForm
    packed: PackedFile


def answer(request: web.BaseRequest, status: int, found: FoundFile) -> RawAnswer:
    """Answer a request with a file. Only with the status 200 conditions and ranges are of account."""
    asked = request.headers
    if status != 200:
        return _whole(status, found)
    if _has(request, found.form):
        return RawAnswer(304, found.form.always)
    if hdrs.RANGE in asked and request.method == hdrs.METH_GET:
        part = _part(request, found.form)
        if part is not None:
            return _ranged(found, part)
    return _whole(200, found)


def _has(request: web.BaseRequest, form: FileForm) -> bool:
    """Return whether the client has this form of the file.

    By the date only where it is the very time of the release: the site may have gone back to a former one
    since a later time.
    """
    asked = request.headers
    if hdrs.IF_NONE_MATCH in asked:
        return request_headers.names_etag(asked.getall(hdrs.IF_NONE_MATCH), form.etag)
    date = asked.get(hdrs.IF_MODIFIED_SINCE)
    return date is not None and date.strip() == form.since


def _part(request: web.BaseRequest, form: FileForm) -> range | None:
    condition = request.headers.get(hdrs.IF_RANGE)
    if condition is not None and condition.strip() != form.etag:
        return None
    return request_headers.part(request.headers[hdrs.RANGE].strip(), form.size)


def _ranged(found: FoundFile, part: range) -> RawAnswer:
    if not part:
        headers = [("Content-Range", f"bytes */{found.form.size}"), ("Content-Length", "0")]
        return RawAnswer(416, found.form.always + encoded(headers))
    place = ("Content-Range", f"bytes {part.start}-{part.stop - 1}/{found.form.size}")
    return _body(206, found, part, encoded([place]))


def _whole(status: int, found: FoundFile) -> RawAnswer:
    return _body(status, found, range(found.form.size), b"")


def _body(status: int, found: FoundFile, part: range, more: bytes) -> RawAnswer:
    form, packed = found.form, found.packed
    head = b"%b%b%bContent-Length: %d\r\n" % (form.always, form.content, more, len(part))
    start = form.place[0] + part.start
    if packed.is_whole:
        return RawAnswer(status, head, memoryview(packed.data)[start : start + len(part)])
    return PiecesAnswer(status, head, len(part), _pieces(found, range(start, start + len(part))))


async def _pieces(found: FoundFile, part: range) -> AsyncIterator[bytes]:
    """Read a part of a large object piece by piece; ends early where it cannot be read."""
    key, start = object_key(found.form.digest), part.start
    while start < part.stop:
        length = min(PIECE, part.stop - start)
        try:
            piece = await asyncio.to_thread(found.store.objects.read_range, key, start, length)
        except (FileNotFoundError, StorageError):
            return
        if not piece:
            return
        start += len(piece)
        yield piece
