"""Limits on how often a key may ask."""

from __future__ import annotations

from contextlib import suppress

import pytest

from server.http.failure import Failure
from server.http.limits import AtOnce, RateLimit


def tries(rate: RateLimit, key: str, most: int, count: int) -> int:
    """Count the requests that are let through, of so many."""
    passed = 0
    for _ in range(count):
        with suppress(Failure):
            rate.take(key, most)
            passed += 1
    return passed


def test_a_key_has_a_minutes_requests_at_once_and_then_so_many_a_second() -> None:
    now = [0.0]
    rate = RateLimit(lambda: now[0])
    assert tries(rate, "a", 60, 100) == 60
    assert tries(rate, "b", 60, 100) == 60
    now[0] = 0.9
    assert tries(rate, "a", 60, 5) == 0
    now[0] = 1.0
    assert tries(rate, "a", 60, 5) == 1
    now[0] = 31.0
    assert tries(rate, "a", 60, 100) == 30
    now[0] = 10_000.0
    assert tries(rate, "a", 60, 100) == 60


@pytest.mark.parametrize(("most", "seconds"), [(60, 1), (1, 60), (2, 30), (600, 1)])
def test_who_waits_as_long_as_was_told_is_let_through(most: int, seconds: int) -> None:
    now = [0.0]
    rate = RateLimit(lambda: now[0])
    assert tries(rate, "a", most, most) == most
    with pytest.raises(Failure) as refused:
        rate.take("a", most)
    assert (refused.value.code, refused.value.status) == ("RATE_LIMITED", 429)
    assert refused.value.headers == {"Retry-After": str(seconds)}
    now[0] = float(seconds)
    assert tries(rate, "a", most, 1) == 1


def test_a_key_has_as_many_requests_at_a_time_as_it_may_and_another_when_one_has_ended() -> None:
    at_once = AtOnce()
    with at_once.one("a", 2), at_once.one("b", 2):
        with at_once.one("a", 2), pytest.raises(Failure) as refused, at_once.one("a", 2):
            pass
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
        with pytest.raises(KeyError), at_once.one("a", 2):
            raise KeyError("a request may fail")
        with at_once.one("a", 2):
            pass
    assert not at_once._running


def test_no_limit_is_no_limit() -> None:
    assert tries(RateLimit(lambda: 0.0), "a", 0, 1000) == 1000
