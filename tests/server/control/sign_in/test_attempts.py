"""Attempts that are counted for all processes together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from server.control import ControlDatabase
from server.control.errors import TooManyAttempts
from server.control.sign_in.attempts import LONGEST, SLOT, Attempts, Limit, block
from tests.server.control.clock import Clock

THREE = Limit("account:me", 3, 600)


def test_as_many_as_are_allowed_and_no_more(database: ControlDatabase) -> None:
    for _ in range(3):
        Attempts(database, Clock()).take([THREE])
    with pytest.raises(TooManyAttempts) as refused:
        Attempts(database, Clock()).take([THREE])
    assert "minutes" in refused.value.hint
    Attempts(database, Clock()).take([Limit("account:other", 3, 600)])


def test_after_the_time_that_was_told_the_next_one_may_try(database: ControlDatabase) -> None:
    clock = Clock()
    attempts = Attempts(database, clock)
    for _ in range(3):
        attempts.take([THREE])
        clock.now += 2 * SLOT
    with pytest.raises(TooManyAttempts) as refused:
        attempts.take([THREE])
    assert 0 < refused.value.wait <= 600
    clock.now += refused.value.wait
    attempts.take([THREE])
    with pytest.raises(TooManyAttempts):
        attempts.take([THREE])


def test_of_many_at_once_none_gets_past(database: ControlDatabase) -> None:
    attempts = Attempts(database, Clock())

    def allowed(_: int) -> bool:
        try:
            attempts.take([THREE])
        except TooManyAttempts:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(allowed, range(24))) == 3


def test_who_is_refused_for_one_reason_is_not_counted_for_the_others(database: ControlDatabase) -> None:
    attempts, wide = Attempts(database, Clock()), Limit("block:192.0.2.0/24", 5, 600)
    for _ in range(3):
        attempts.take([THREE, wide])
    for _ in range(4):
        with pytest.raises(TooManyAttempts):
            attempts.take([wide, THREE])
    for _ in range(2):
        attempts.take([wide])
    with pytest.raises(TooManyAttempts):
        attempts.take([wide])


def test_success_forgives(database: ControlDatabase) -> None:
    attempts = Attempts(database, Clock())
    for _ in range(3):
        attempts.take([THREE])
    attempts.forgive(THREE.subject)
    for _ in range(3):
        attempts.take([THREE])


def test_old_attempts_are_forgotten(database: ControlDatabase) -> None:
    clock = Clock()
    attempts = Attempts(database, clock)
    attempts.take([THREE])
    clock.now += LONGEST - SLOT
    attempts.forget_old()
    assert len(database.read("SELECT * FROM attempts")) == 1
    clock.now += 2 * SLOT
    attempts.forget_old()
    assert database.read("SELECT * FROM attempts") == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.77", "192.0.2.0/24"),
        ("::ffff:192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:1:2ff:1::9", "2001:db8:1:200::/56"),
        ("fe80::1%eth0", "fe80::/56"),
        ("", ""),
        ("@", "@"),
    ],
)
def test_neighbours_are_one_block(address: str, expected: str) -> None:
    assert block(address) == expected
