"""Limits of requests that several processes count together."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.http.buckets import SETS, WAYS, SharedBuckets
from server.http.failure import Failure
from server.http.limits import RateLimit
from tests.waiting import PATIENCE

MOST = 60
SIZE = 32
"""Bytes of a record."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "request-limits"


@pytest.fixture
def buckets(file: Path) -> Iterator[SharedBuckets]:
    with closing(SharedBuckets(file)) as opened:
        yield opened


def passed(rate: RateLimit, key: str, count: int) -> int:
    """Count the requests that are let through, of so many."""
    done = 0
    for _ in range(count):
        with suppress(Failure):
            rate.take(key, MOST)
            done += 1
    return done


def test_two_that_have_the_file_count_together(file: Path, buckets: SharedBuckets) -> None:
    now = [100.0]
    with closing(SharedBuckets(file)) as others:
        one, other = RateLimit(lambda: now[0], buckets), RateLimit(lambda: now[0], others)
        assert [passed(one, "a", 40), passed(other, "a", 40), passed(one, "a", 1)] == [40, 20, 0]
        assert passed(other, "b", MOST + 1) == MOST
        now[0] += 10
        assert [passed(other, "a", 6), passed(one, "a", 6)] == [6, 4]
    assert file.stat().st_mode & 0o777 == 0o600


def _asks(file: Path, begin: object, done: object) -> None:
    with closing(SharedBuckets(file)) as buckets:
        begin.wait()
        done.put(passed(RateLimit(lambda: 100.0, buckets), "a", MOST))


def test_of_many_processes_at_once_all_are_counted(file: Path) -> None:
    context = multiprocessing.get_context("spawn")
    begin, done = context.Barrier(4), context.Queue()
    others = [context.Process(target=_asks, args=(file, begin, done)) for _ in range(4)]
    for other in others:
        other.start()
    counts = [done.get(timeout=PATIENCE) for _ in others]
    for other in others:
        other.join()
    assert sum(counts) == MOST


def test_a_number_that_looks_like_a_key_is_not_its_record(file: Path, buckets: SharedBuckets) -> None:
    buckets.set("a", (7.0, 100.0))
    data = file.read_bytes()
    at = len(data) - len(data.lstrip(b"\0"))
    begin = at // (SIZE * WAYS) * SIZE * WAYS
    # In its set alone its digest is where another record has its numbers.
    moved = bytes(16) + data[at : at + 16] + bytes(SIZE * WAYS - 32)
    file.write_bytes(data[:begin] + moved + data[begin + SIZE * WAYS :])
    assert buckets.get("a", 100.0) is None
    buckets.set("a", (3.0, 100.0))
    assert buckets.get("a", 100.0) == (3.0, 100.0)


def test_who_is_stopped_with_the_lock_stops_nobody(file: Path, buckets: SharedBuckets) -> None:
    held = os.open(file, os.O_RDWR)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert passed(RateLimit(lambda: 100.0, buckets), "a", 2) == 2
    finally:
        os.close(held)


def test_after_a_start_of_the_machine_the_clock_begins_anew_and_so_do_limits(buckets: SharedBuckets) -> None:
    assert passed(RateLimit(lambda: 5_000.0, buckets), "a", MOST) == MOST
    assert passed(RateLimit(lambda: 5_000.0, buckets), "a", 1) == 0
    assert passed(RateLimit(lambda: 3.0, buckets), "a", MOST + 1) == MOST


def test_a_file_that_was_cut_off_is_made_whole(file: Path) -> None:
    file.write_bytes(b"short")
    with closing(SharedBuckets(file)) as buckets:
        assert passed(RateLimit(lambda: 100.0, buckets), "a", MOST + 1) == MOST


def test_where_too_many_ask_the_one_that_asked_longest_ago_is_forgotten(buckets: SharedBuckets) -> None:
    keys = [str(number) for number in range(SETS * WAYS)]
    for now, key in enumerate(keys):
        buckets.set(key, (1.0, float(now)))
    known = [key for key in keys if buckets.get(key, 1e9) is not None]
    assert SETS * WAYS * 0.8 < len(known) < SETS * WAYS
    assert set(keys[-1000:]) <= set(known)


@given(noise=st.binary(min_size=1, max_size=400), at=st.integers(0, SETS * WAYS * 32))
def test_a_damaged_file_stops_nobody_for_good(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    file = tmp_path_factory.mktemp("noise") / "request-limits"
    with closing(SharedBuckets(file)) as buckets:
        passed(RateLimit(lambda: 100.0, buckets), "a", 10)
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(noise)
    with closing(SharedBuckets(file)) as buckets:
        assert passed(RateLimit(lambda: 200.0, buckets), "a", MOST + 1) == MOST
