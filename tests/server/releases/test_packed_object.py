"""Objects of releases: the bytes come out in each form as they went in."""

from __future__ import annotations

import gzip
import hashlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.releases.packed_object import HEAD_BYTES, NoObject, head, is_text, pack, parts

TEXT = b"<p>The harbour is open.</p>\n" * 50


def _forms(packed: bytes) -> tuple[bytes, bytes, bytes]:
    places = parts(packed[:HEAD_BYTES])
    cut = [packed[start : start + length] for start, length in (places.identity, places.gzip, places.brotli)]
    return cut[0], cut[1], cut[2]


@given(st.binary(max_size=2000) | st.binary(max_size=50).map(lambda data: data * 40))
def test_each_form_has_the_bytes(data: bytes) -> None:
    packed = pack(data, compress=True)
    identity, zipped, broad = _forms(packed)
    assert identity == data
    assert not zipped or gzip.decompress(zipped) == data
    assert not broad or brotli.decompress(broad) == data
    assert pack(data, compress=True) == packed


@pytest.mark.parametrize(
    ("data", "compress", "forms"),
    [
        pytest.param(TEXT, True, 3, id="a text has all three"),
        pytest.param(TEXT, False, 1, id="what is no text is not compressed"),
        pytest.param(TEXT[:200], True, 1, id="what fits into a packet is not compressed"),
        pytest.param(hashlib.shake_128(b"").digest(500), True, 1, id="what stays as large is not kept"),
        pytest.param(b"", True, 0, id="an empty file is an object"),
    ],
)
def test_a_file_is_compressed_where_it_is_worth_it(data: bytes, compress: bool, forms: int) -> None:
    assert sum(map(bool, _forms(pack(data, compress=compress)))) == forms


def test_what_is_compressed_is_smaller() -> None:
    identity, zipped, broad = map(len, _forms(pack(TEXT, compress=True)))
    assert broad < zipped < identity


@pytest.mark.parametrize("beginning", [b"", b"TPO1", b"GIF89a" + bytes(HEAD_BYTES)])
def test_other_bytes_are_no_object(beginning: bytes) -> None:
    with pytest.raises(NoObject):
        parts(beginning)


def test_a_head_alone_tells_the_places() -> None:
    places = parts(head(10, 20, 30))
    assert places.identity == (HEAD_BYTES, 10)
    assert places.gzip == (HEAD_BYTES + 10, 20)
    assert places.brotli == (HEAD_BYTES + 30, 30)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a.html", True), ("a/B.SVG", True), ("a.png", False), ("LICENSE", False), ("_tp/x.0a.woff2", False)],
)
def test_texts_are_known_by_their_names(path: str, expected: bool) -> None:
    assert is_text(path) is expected
