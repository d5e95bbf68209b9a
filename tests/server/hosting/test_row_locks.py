"""Two threads never tell the server about the same database."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from server.hosting.apply import RowLocks


def test_threads_take_turns_at_one_database_and_wait_for_none_at_another() -> None:
    turns, inside, most = RowLocks(), list[int](), list[int]()

    def work(number: int) -> None:
        with turns.of("one"):
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.001)
            inside.pop()

    with ThreadPoolExecutor(8) as threads:
        with turns.of("one"):
            waiting = [threads.submit(work, number) for number in range(100)]
            with turns.of("other"):
                assert not any(each.done() for each in waiting)
        for each in waiting:
            each.result()
    assert set(most) == {1}


def test_a_turn_is_waited_for_as_long_as_was_said_and_can_be_taken_again_by_who_has_it() -> None:
    turns = RowLocks()

    def get(seconds: float) -> bool:
        with turns.within("one", seconds) as mine:
            return mine

    with ThreadPoolExecutor(1) as threads:
        with turns.of("one"), turns.within("one", 0) as again, turns.of("one"):
            assert again
            assert threads.submit(get, 0.01).result() is False
        assert threads.submit(get, 0).result() is True
    assert not turns._locks
