"""JSON that two readers could understand in two ways is refused, and nothing raises anything else."""

from __future__ import annotations

import json
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.http.failure import Failure
from server.http.strict_json import loads

BAD = [
    (b"", "no JSON"),
    (b"{", "no JSON"),
    (b"[1,]", "no JSON"),
    (b"\xef\xbb\xbf{}", "no JSON"),
    (b'"\xff"', "not UTF-8 (byte 1)"),
    (b'"\xed\xa0\x80"', "not UTF-8"),
    (b'{"a": 1, "a": 2}', "`a` stands twice"),
    (b'{"a": {"b": 1, "\\u0062": 2}}', "`b` stands twice"),
    (b"NaN", "`NaN` is no JSON"),
    (b"[-Infinity]", "`-Infinity` is no JSON"),
    (b"1e999", "too large"),
    (b"123456789012345678901", "more than 20 digits"),
    (b"1" * 5_000, "more than 20 digits"),
    (b'"\\ud800"', "surrogate"),
    (b'{"\\udc00": 1}', "surrogate"),
    (b"[" * 66 + b"]" * 66, "levels deep"),
    (b"[" * 19_000, "levels deep"),
    (b'{"a":' * 19_000, "levels deep"),
    (b"'a'", "no JSON"),
    (b'"a\nb"', "no JSON"),
    (b"{} {}", "no JSON"),
    (b"[" + b"1," * 19_999 + b"1]", "more than 20,000 values"),
    (b"[" + b'"",' * 19_999 + b"1]", "more than 20,000 values"),
    (b'{"a": [' + b"[]," * 10_000 + b"1]}", "more than 20,000 values"),
    (b"{" + b",".join(b'"%d": 1' % number for number in range(20_000)) + b"}", "more than 20,000 values"),
    (b'["\\\\",' + b'"\\"",' * 20_000 + b"1]", "more than 20,000 values"),
]


@pytest.mark.parametrize(("data", "said"), BAD)
def test_bad_json_is_named(data: bytes, said: str) -> None:
    with pytest.raises(Failure) as refused:
        loads(data)
    assert refused.value.code == "INVALID_JSON"
    assert said in refused.value.message


@pytest.mark.parametrize(
    "text", [',"[{}]' * 20_000, "\\\\" * 20_000 + '",' * 20_000, '\\"' * 50_000 + "[,\\" * 20_000]
)
def test_what_stands_in_texts_is_not_counted(text: str) -> None:
    assert loads(json.dumps({"a": text, "b": [1, {}]}).encode()) == {"a": text, "b": [1, {}]}


def test_as_many_values_as_there_may_be() -> None:
    assert loads(b"[" + b"1," * 19_998 + b"1]") == [1] * 19_999
    assert loads(json.dumps([",".join("[{") * 9_999, *["x"] * 19_998]).encode())


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(VALUES)
def test_good_json_is_read_as_it_is(value: object) -> None:
    assert loads(json.dumps(value).encode()) == value
    assert loads(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.binary(max_size=60) | st.text('{}[],:"\\u0dab1e-NaInfty ', max_size=60).map(str.encode))
def test_whatever_the_bytes_there_is_a_value_or_one_kind_of_failure(data: bytes) -> None:
    with suppress(Failure):
        value = loads(data)
        assert not isinstance(value, float) or math.isfinite(value)
