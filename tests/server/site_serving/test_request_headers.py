"""Any text in a header is read, and never answered with more than there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.site_serving import request_headers

TEXTS = st.text(st.sampled_from('bytes=-0123456789, ;qgzipr*."W/'), max_size=30)


@given(TEXTS, st.integers(0, 1000))
def test_a_range_is_within_the_file(value, size):
    part = request_headers.part(value, size)
    if part is not None:
        assert part.step == 1
        assert not part or (part.start >= 0 and part.stop <= size)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 40))
def test_a_range_has_the_bytes_that_were_asked_for(first, last, size):
    part = request_headers.part(f"bytes={first}-{last}", size)
    if last < first:
        assert part is None
    else:
        assert list(part) == [place for place in range(size) if first <= place <= last]


@given(TEXTS)
def test_every_client_takes_the_plain_form_in_the_end(value):
    found = request_headers.codings(value)
    assert found[-1] == ""
    assert len(set(found)) == len(found)
    assert set(found) <= {"br", "gzip", ""}


@pytest.mark.parametrize("value", ["gzip," * 1000, "br;" * 5000])
def test_a_value_that_is_too_long_is_not_read(value):
    assert request_headers.codings(value) == ("",)


@given(st.lists(TEXTS, max_size=3))
def test_only_a_named_etag_is_found(values):
    assert request_headers.names_etag(values, '"none-such"') == any(
        each.strip().removeprefix("W/") == "*" for value in values for each in value.split(",")
    )
    assert request_headers.names_etag([*values, 'W/"none-such"'], '"none-such"')
