"""Answers from memory that sites share: the bytes and the ETag of an object are those that it says."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import zlib

import pytest
from aiohttp.test_utils import RawTestServer, TestClient

from server.releases.packed_object import head, pack, parts
from server.releases.release_store import ReleaseStore
from server.site_serving.live_site import load
from server.site_serving.object_memory import ObjectMemory
from server.site_serving.reader_answers import ReaderAnswers
from tests.server.site_serving.published import publish, release_store

TEXT = b"".join(b"<p>Harbour %d is open.</p>\n" % (number * number) for number in range(200))
LARGE_TEXT = TEXT * 120
"""More than is held in memory as a whole."""


def _packed_elsewhere(text: bytes) -> bytes:
    """An object as another version of the libraries could pack it: no form is as long as ours."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    packed = packer.compress(text) + packer.flush()
    return head(len(text), len(packed)) + text + packed


def _site(store: ReleaseStore, packed: bytes) -> None:
    publish(store, {"index.html": TEXT, "other.html": b"x" * 300})
    store.keep(hashlib.sha256(TEXT).digest(), packed)


@pytest.mark.parametrize("order", ["ours first", "theirs first"])
def test_a_page_that_two_sites_have_packed_differently_is_whole_for_both(tmp_path, order):
    stores = [release_store(tmp_path, "ours"), release_store(tmp_path, "theirs")]
    for store, packed in zip(stores, (pack(TEXT, compress=True), _packed_elsewhere(TEXT)), strict=True):
        _site(store, packed)
    if order == "theirs first":
        stores.reverse()
    sites = [load(store, None) for store in stores]
    answers = ReaderAnswers(ObjectMemory(len(pack(TEXT, compress=True)) + 600))

    async def read(client: TestClient, number: int, path: str) -> bytes:
        async with client.get(path, headers={"Accept-Encoding": "gzip", "Number": str(number)}) as answer:
            return await answer.read()

    async def ask() -> None:
        server = RawTestServer(lambda asked: answers.answer(asked, sites[int(asked.headers["Number"])]))
        async with TestClient(server) as client:
            for number in (0, 1):  # both from the object of the first
                assert await read(client, number, "/") == TEXT
            await read(client, 1, "/other")  # there is no room for both
            for number in (1, 0):
                assert await read(client, number, "/") == TEXT

    asyncio.run(ask())


def _of_another_time(text: bytes) -> bytes:
    """Our own object with another time in the head of its gzip form: each form is as long as ours."""
    packed = pack(text, compress=True)
    start, _ = parts(packed).gzip
    return packed[: start + 4] + b"time" + packed[start + 8 :]


@pytest.mark.parametrize("text", [TEXT, LARGE_TEXT], ids=["small", "large"])
@pytest.mark.parametrize("packed_later", [_packed_elsewhere, _of_another_time])
def test_no_range_joins_bytes_of_two_compressed_forms(tmp_path, text, packed_later):
    store = release_store(tmp_path)
    publish(store, {"index.html": text})
    site = load(store, None)

    async def ask() -> None:
        answers = [ReaderAnswers(ObjectMemory()) for _ in range(2)]  # of a process, and of the next one
        server = RawTestServer(lambda asked: answers[int(asked.headers["Number"])].answer(asked, site))
        async with TestClient(server, auto_decompress=False) as client:
            first = {"Accept-Encoding": "gzip", "Number": "0"}
            async with client.get("/", headers=first) as answer:
                etag = answer.headers["ETag"]
            store.keep(hashlib.sha256(text).digest(), packed_later(text))
            rest = {"Accept-Encoding": "gzip", "Number": "1", "Range": "bytes=1000-", "If-Range": etag}
            async with client.get("/", headers=rest) as answer:
                assert answer.status == 200
                assert gzip.decompress(await answer.read()) == text
            async with client.get("/", headers={**rest, "Accept-Encoding": "identity"}) as answer:
                plain = answer.headers["ETag"]
            rest |= {"Accept-Encoding": "identity", "If-Range": plain}
            async with client.get("/", headers=rest) as answer:
                assert (answer.status, await answer.read()) == (206, text[1000:])

    asyncio.run(ask())
