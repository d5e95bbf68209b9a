"""Questions to a store: none is waited for too long, and few answers wait in memory."""

from __future__ import annotations

import threading
import time

import pytest

from builder.cache import errands
from builder.cache.errands import AT_ONCE, StoreSilent, answers
from builder.errors import StorageError
from tests.waiting import until

NAMES = [f"name{number}" for number in range(200)]


def test_all_are_answered() -> None:
    assert dict(answers(str.upper, NAMES)) == {name: name.upper() for name in NAMES}
    assert list(answers(str.upper, [])) == []


def test_few_answers_wait_in_memory() -> None:
    asked: list[str] = []

    def ask(name: str) -> str:
        asked.append(name)
        return name

    before = set(threading.enumerate())
    found = answers(ask, NAMES)
    next(found)
    most = 1 + 2 * AT_ONCE  # the one that was taken, those that wait, and one in the hands of each thread
    until(lambda: len(asked) >= most)
    assert len(asked) == most
    found.close()
    until(lambda: set(threading.enumerate()) <= before)


def test_no_thread_is_left_when_all_answers_are_there() -> None:
    """Processes are forked next, which is safe only then."""
    before = threading.active_count()
    assert len(list(answers(str, NAMES))) == len(NAMES)
    assert threading.active_count() == before


def test_a_store_that_answers_drop_by_drop_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errands, "AT_ONCE", 1)
    monkeypatch.setattr(errands, "A_PACK", 0.0)
    with pytest.raises(StoreSilent):
        list(answers(lambda _: time.sleep(0.05), NAMES, first=0.5))


def test_a_fault_ends_the_questions() -> None:
    def ask(name: str) -> str:
        raise StorageError(name)

    with pytest.raises(StorageError, match="name"):
        list(answers(ask, NAMES))
