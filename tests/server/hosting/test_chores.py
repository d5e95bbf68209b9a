"""Regular chores: one that takes long delays its own group alone, and failures are told once."""

from __future__ import annotations

import logging
from contextlib import closing
from threading import Event

import pytest

from server.hosting.log_once import AGAIN, LogOnce
from server.hosting.threads import Chore, Chores
from server.postgres.errors import EngineUnavailable
from tests.waiting import PATIENCE, until

LOGGER = "twinpress.hosting"


def test_a_chore_that_takes_long_delays_those_of_its_own_group_alone() -> None:
    begun, over = Event(), Event()
    own, other = list[int](), list[int]()

    def last() -> None:
        begun.set()
        assert over.wait(PATIENCE)

    groups = [
        [Chore("long", 0.0, last), Chore("behind it", 0.0, lambda: own.append(1))],
        [Chore("apart", 0.0, lambda: other.append(1))],
    ]
    with closing(Chores(groups, lambda: True)) as chores:
        chores.start()
        until(lambda: begun.is_set() and len(other) > 3)
        assert own == []
        over.set()
        until(lambda: len(own) > 0)


def test_a_chore_that_fails_is_told_once_and_so_is_its_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, LOGGER)
    failing = [RuntimeError("a fault"), EngineUnavailable("away"), EngineUnavailable("away at 12:00")]
    done = Event()

    def look() -> None:
        if failing:
            raise failing.pop()
        done.set()

    with closing(Chores([[Chore("looking", 0.0, look)]], lambda: True)) as chores:
        chores.start()
        assert done.wait(PATIENCE)
    told = [record.message for record in caplog.records if record.name == LOGGER]
    assert told == [
        "looking could not be done, and is tried again: away at 12:00",
        "looking is done again",
    ]


def test_what_goes_on_failing_is_told_again_after_a_while(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    complaints = LogOnce(lambda: now[0])
    for now[0] in (0.0, 1.0, AGAIN - 1, AGAIN, AGAIN + 1, 2 * AGAIN):
        complaints.make("the server", f"away at {now[0]:.0f}")
    complaints.make("sizes", "away, too")
    complaints.withdraw("the server")
    complaints.make("the server", "away once more")
    told = [record.message for record in caplog.records]
    assert told == ["away at 0", "away at 60", "away at 120", "away, too", "away once more"]
