"""Sessions that go on computing after they were asked to end, and the processes that may be killed for it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from server.postgres.run.processes import Stat, stat
from server.postgres.run.server_files import ServerFiles
from server.postgres.run.unending_sessions import GRACE, Computing, Stubborn, kill
from server.postgres.tenants.ending_sessions import EndingSession, Session
from tests.server.postgres.clusters import quick, server_in
from tests.waiting import until

SESSION = Session("db_aaaaaaaaaaaaaaaa", 4711, datetime(2026, 1, 1, tzinfo=UTC))
ASKED = EndingSession(SESSION, "statement", GRACE)
BUSY = tuple(Stat(1, ticks, 7) for ticks in (10, 11, 12, 13))


@pytest.mark.parametrize(
    ("seen", "asked", "hears_nothing"),
    [
        (BUSY, ASKED, True),
        (BUSY, replace(ASKED, seconds=GRACE - 0.1), False),
        (BUSY, replace(ASKED, waits="WALSync"), False),
        (BUSY[:3], ASKED, False),
        ((BUSY[0],) * 4, ASKED, False),
        ((BUSY[0], BUSY[1], BUSY[1], BUSY[2]), ASKED, False),
        ((*BUSY[:2], *(replace(each, began=8) for each in BUSY[2:])), ASKED, False),
        ((*BUSY[:3], None), ASKED, False),
        ((*BUSY[:3], BUSY[2], *(Stat(1, ticks, 7) for ticks in (20, 21, 22))), ASKED, True),
    ],
    ids=[
        "computes at each look",
        "still has time",
        "waits for the disk",
        "too few looks",
        "sleeps",
        "slept in between",
        "another process",
        "has ended",
        "slept, and computes since",
    ],
)
def test_who_has_computed_at_each_of_the_last_looks_hears_nothing(
    seen: Sequence[Stat | None], asked: EndingSession, hears_nothing: bool
) -> None:
    left = iter(seen)
    stubborn = Stubborn(look_at=lambda _: next(left))
    for _ in seen:
        found = stubborn.look([asked])
    assert found == ([Computing(asked, 7)] if hears_nothing else [])


def test_those_who_are_to_be_ended_wait_a_moment_for_others_that_compute() -> None:
    ticks = {4711: 10, 4712: 10, 4713: 10}

    def look_at(pid: int) -> Stat:
        if pid != 4713:
            ticks[pid] += 1
        return Stat(1, ticks[pid], 7)

    first, second, asleep = (replace(ASKED, session=replace(SESSION, process=pid)) for pid in ticks)
    stubborn = Stubborn(look_at=look_at)
    for _ in range(3):
        assert stubborn.look([first]) == []
    for _ in range(3):
        assert [each.asked for each in stubborn.look([first, second, asleep])] == [first]
    assert stubborn.are_coming([first, second, asleep]), "one look more, and it is one of them"
    assert not stubborn.are_coming([first, replace(second, seconds=GRACE - 5), asleep])
    assert len(stubborn.look([first, second, asleep])) == 2
    assert not stubborn.are_coming([first, second, asleep])


def test_a_process_is_known_by_its_parent_its_beginning_and_its_computing() -> None:
    with subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) as process:
        first = stat(process.pid)
        assert first
        assert first.parent == os.getpid()
        until(lambda: (now := stat(process.pid)) is not None and now.computed > first.computed)
        process.send_signal(signal.SIGSTOP)
        process.kill()
    assert stat(process.pid) is None


def test_none_but_a_child_of_the_server_that_is_still_the_same_process_is_killed(folder: Path) -> None:
    place = ServerFiles((folder / "postgres").resolve())
    with server_in(place.root, quick()) as engine, subprocess.Popen(["sleep", "600"]) as other:
        with engine.server.connect() as session:
            pid = session.info.backend_pid
            now, elsewhere = stat(pid), stat(other.pid)
            assert now
            assert elsewhere
            later = _computing(pid, now.began + 1)
            assert kill(place, [later, _computing(other.pid, elsewhere.began)]) == []
            assert session.execute("SELECT 1").fetchone() == (1,)
            assert other.poll() is None
            mine = _computing(pid, now.began)
            assert engine.end_by_force(lambda: [mine, later]) == [mine]
        until(lambda: stat(pid) is None)
        with engine.server.connect() as session:
            assert session.execute("SELECT 1").fetchone() == (1,)
        assert engine.end_by_force(list) == []
        other.kill()


def _computing(pid: int, began: int) -> Computing:
    return Computing(replace(ASKED, session=replace(SESSION, process=pid)), began)
