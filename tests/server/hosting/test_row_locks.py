"""Two threads never tell the server about the same database."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from server.hosting.apply import RowLocks


def test_threads_take_turns_at_one_database_and_wait_for_none_at_another() -> None:
    row_locks, inside, most = RowLocks(), list[int](), list[int]()

    def work(number: int) -> None:
        with row_locks.of("one"):
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.001)
            inside.pop()

    with ThreadPoolExecutor(8) as threads:
        with row_locks.of("one"):
            waiting = [threads.submit(work, number) for number in range(100)]
            with row_locks.of("other"):
                assert not any(each.done() for each in waiting)
        for each in waiting:
            each.result()
    assert set(most) == {1}


def test_a_turn_is_waited_for_as_long_as_was_said_and_can_be_taken_again_by_who_has_it() -> None:
    row_locks = RowLocks()

    def get(seconds: float) -> bool:
        with row_locks.within("one", seconds) as mine:
            return mine

    with ThreadPoolExecutor(1) as threads:
        with row_locks.of("one"), row_locks.within("one", 0) as again, row_locks.of("one"):
            assert again
            assert threads.submit(get, 0.01).result() is False
        assert threads.submit(get, 0).result() is True
    assert not row_locks._locks
