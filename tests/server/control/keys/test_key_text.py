from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.redaction import redacted
from server.control import base62
from server.control.keys.key_text import PREFIXES, KeyKind, generate, kind_of

FORMS = {
    KeyKind.ONE_OFF: r"dpk_[0-9A-Za-z]{46}",
    KeyKind.LONG_LIVED: r"svc_docs_[0-9A-Za-z]{46}",
}
KINDS = st.sampled_from(KeyKind)
# A body made up by hand, so that the format cannot change without a sign: old keys must stay valid.
KNOWN = "dpk_" + "0123456789" * 4


@pytest.mark.parametrize("kind", KeyKind)
def test_a_key_is_prefix_random_part_and_checksum(kind: KeyKind) -> None:
    text = generate(kind)
    assert re.fullmatch(FORMS[kind], text)
    assert kind_of(text) is kind


def test_the_checksum_is_the_crc32_of_what_stands_before_it() -> None:
    assert kind_of(KNOWN + base62.encode(0x22AEBFD4, 6)) is KeyKind.ONE_OFF


def test_no_two_keys_are_alike() -> None:
    assert len({generate(KeyKind.ONE_OFF) for _ in range(1000)}) == 1000


@given(KINDS, st.data())
def test_every_change_of_one_character_is_noticed(kind: KeyKind, data: st.DataObject) -> None:
    text = generate(kind)
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.one_of(st.sampled_from(base62.DIGITS), st.characters()))
    changed = text[:place] + other + text[place + 1 :]
    assert kind_of(changed) is (kind if changed == text else None)


@given(KINDS, st.data())
def test_a_key_that_is_cut_off_or_has_more_is_none(kind: KeyKind, data: st.DataObject) -> None:
    text = generate(kind)
    assert kind_of(text[: data.draw(st.integers(0, len(text) - 1))]) is None
    assert kind_of(text + data.draw(st.text(min_size=1))) is None
    assert kind_of(data.draw(st.text(min_size=1)) + text) is None


@given(st.one_of(st.text(), st.from_regex("|".join(FORMS.values()), fullmatch=True)))
def test_any_text_has_a_kind_or_none(text: str) -> None:
    assert kind_of(text) in {None, *KeyKind}


@pytest.mark.parametrize("text", ["", "dpk_", "\udc80", "dpk_\x00", KNOWN + "\u0661" * 6])
def test_other_text_is_no_key(text: str) -> None:
    assert kind_of(text) is None


@given(KINDS, st.text(), st.text())
def test_a_key_is_taken_out_of_any_text(kind: KeyKind, before: str, after: str) -> None:
    key = generate(kind)
    secret = key.removeprefix(PREFIXES[kind])
    assert secret not in redacted(before + key + after)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Bearer dpk_Abc0123", "Bearer dpk_..."),
        ("?key=svc%5Fdocs%5FAbc0123&x=1", "?key=svc%5Fdocs%5F...&x=1"),
        ("svc_db_Abc0123, DPK_Abc0123", "svc_db_..., DPK_..."),
        ("svc_docs_dpk_Abc0123, dpk_dpk_dpk%5FAbc_", "svc_docs_..., dpk_..."),
        ("dpk_ and svc_docs_ are prefixes", "dpk_ and svc_docs_ are prefixes"),
        ("GET /docs/guide/keys", "GET /docs/guide/keys"),
    ],
)
def test_only_keys_are_redacted(text: str, shown: str) -> None:
    assert redacted(text) == shown


@given(st.integers(0, 62**6 - 1))
def test_every_number_has_a_text_of_its_own(number: int) -> None:
    back = 0
    for digit in base62.encode(number, 6):
        back = back * 62 + base62.DIGITS.index(digit)
    assert back == number


def test_a_number_with_too_many_digits_is_refused() -> None:
    with pytest.raises(OverflowError):
        base62.encode(62**6, 6)
