"""A database that goes on growing beyond its storage is shut, and let in again to make room."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from msgspec import Struct
from msgspec.structs import replace

from server.control.accounts.account import Account
from server.control.plans import PLANS
from server.hosting import hosted
from server.hosting.hosted import Hosted, disobedient
from server.hosting.hosting_service import Revealed
from server.hosting.shut_database import LONGEST, SHUT
from server.hosting.storage import FAR, LONGEST_ANEW, SLACK, StorageQuota
from server.postgres.server import DatabaseServer
from tests.server.control.clock import Clock
from tests.server.hosting.world import World, ask, world
from tests.waiting import until

LIMIT = 12_000_000
"""A new database takes 7.6 MB of these bytes."""

WAITING = """
CREATE FUNCTION waits(text) RETURNS int IMMUTABLE LANGUAGE plpgsql
AS 'BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(1); RETURN 1; END'"""
REACHED = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


class Grower(Struct, frozen=True):
    """A tenant that fills its database, and the look at its size."""

    service: World
    account: Account
    made: Revealed
    quota: StorageQuota
    clock: Clock

    def look(self) -> Hosted:
        """The row after one look, when the server has obeyed it."""
        self.quota.run()
        until(lambda: not disobedient(self.service.database, self.account.id))
        row = hosted.one(self.service.database, self.made.row.id)
        assert row
        return row

    def grow(self, megabytes: float) -> None:
        """In a transaction that asks for it, also when the database is full."""
        with self.service.connect(self.made) as session, session.transaction():
            session.execute("SET TRANSACTION READ WRITE")
            session.execute(
                "INSERT INTO t SELECT repeat('x', 990) FROM generate_series(1, %s)", [int(megabytes * 1000)]
            )

    @contextmanager
    def written_anew(self) -> Iterator[None]:
        """`t` is, by `VACUUM FULL`, which waits before its end: it makes the index after the new table."""
        with self.service.connect(self.made) as session:
            session.execute(WAITING)
            session.execute("CREATE INDEX waiting ON t (waits(x))")
        with self.service.connect(self.made) as holder, ThreadPoolExecutor(1) as thread:
            holder.execute("SELECT pg_advisory_lock(1)")
            vacuum = thread.submit(self._vacuum)
            until(lambda: holder.execute(REACHED).fetchone() == (1,))
            yield
            holder.execute("SELECT pg_advisory_unlock(1)")
            vacuum.result()

    def _vacuum(self) -> None:
        with self.service.connect(self.made) as session:
            session.execute("VACUUM FULL t")

    def wait(self, seconds: float) -> Hosted:
        """The same as `look`, so much later."""
        self.clock.now += seconds
        return self.look()

    def is_in(self) -> bool:
        """Return whether it can log in."""
        return self.service.opens(self.made)


@pytest.fixture
def grower(tmp_path: Path, server: DatabaseServer) -> Iterator[Grower]:
    plans = {**PLANS, "free": replace(PLANS["free"], storage_bytes=LIMIT)}
    with world(tmp_path / "data", server, plans) as service:
        until(service.leader.leads)
        account = service.account(plan="free")
        made = service.create(account)
        clock = Clock()
        found = Grower(
            service, account, made, StorageQuota(service.database, service.provisioner, plans, clock), clock
        )
        with service.connect(made) as session:
            session.execute("CREATE TABLE t (x text STORAGE plain)")
        found.look()
        yield found


def test_one_that_grows_far_beyond_its_storage_is_shut_for_a_minute_and_then_let_in(grower: Grower) -> None:
    grower.grow(8)
    shut = grower.look()
    assert (shut.status, shut.full, shut.shut_until) == ("error", True, int(grower.clock.now) + SHUT)
    assert not grower.is_in()
    revealed = grower.service.databases.reveal(ask(grower.account), grower.made.row.id)
    assert revealed.password == grower.made.password
    assert grower.wait(SHUT - 1).is_locked
    opened = grower.wait(1)
    assert (opened.status, opened.full, grower.is_in()) == ("active", True, True)
    assert not grower.look().is_locked  # it has not grown since


def test_each_time_that_it_grows_instead_it_is_shut_for_twice_as_long(grower: Grower) -> None:
    grower.grow(8)
    for times in range(3):
        shut = grower.look()
        assert shut.shut_until == int(grower.clock.now) + SHUT * 2**times
        grower.wait(SHUT * 2**times)
        grower.grow(1.5)
    grower.look()
    grower.service.database.write("UPDATE databases SET shuts = 1000")
    grower.wait(LONGEST)
    grower.grow(1.5)
    assert grower.look().shut_until == int(grower.clock.now) + LONGEST


def test_one_that_makes_room_is_as_it_was(grower: Grower) -> None:
    grower.grow(8)
    grower.look()
    grower.wait(SHUT)
    with grower.service.connect(grower.made) as session, session.transaction():
        session.execute("SET TRANSACTION READ WRITE")
        session.execute("TRUNCATE t")
    small = grower.look()
    assert (small.status, small.full, small.shuts, small.shut_size) == ("active", False, 0, None)
    grower.grow(8)
    assert grower.look().shut_until == int(grower.clock.now) + SHUT


def test_one_that_is_written_anew_to_be_smaller_is_let_finish(grower: Grower) -> None:
    grower.grow(3)
    before = grower.look()
    assert not before.full
    with grower.service.connect(grower.made) as session:
        session.execute("DELETE FROM t WHERE ctid < '(50,0)'")
    with grower.written_anew():
        assert grower.quota.provisioner.sizes()[before.id] > LIMIT * FAR
        for _ in range(2):
            row = grower.look()
            assert (row.full, row.is_locked) == (False, False)
    small = grower.look()
    assert (small.full, small.is_locked) == (False, False)
    assert before.size_bytes
    assert small.size_bytes
    assert small.size_bytes < before.size_bytes


def test_what_is_added_while_a_table_is_written_anew_shuts_it_afterwards(grower: Grower) -> None:
    grower.grow(3)
    grower.look()
    with grower.service.connect(grower.made) as session:
        session.execute("CREATE TABLE u (x text STORAGE plain)")
    with grower.written_anew():
        with grower.service.connect(grower.made) as session:
            session.execute("INSERT INTO u SELECT repeat('x', 990) FROM generate_series(1, 4000)")
        assert not grower.look().is_locked
    assert grower.look().is_locked


def test_one_that_is_written_anew_without_end_is_full(grower: Grower) -> None:
    grower.grow(3)
    grower.look()
    with suppress(psycopg.errors.AdminShutdown), grower.written_anew():
        assert not grower.look().full
        assert not grower.wait(LONGEST_ANEW - 1).full
        row = grower.wait(1)
        assert (row.full, row.is_locked) == (True, True)


def test_one_that_grows_beyond_all_that_writing_anew_takes_is_shut(grower: Grower) -> None:
    grower.grow(3)
    grower.look()
    with grower.service.connect(grower.made) as session:
        session.execute("CREATE TABLE u (x text STORAGE plain)")
    with suppress(psycopg.errors.AdminShutdown), grower.written_anew():
        with grower.service.connect(grower.made) as session:
            session.execute("INSERT INTO u SELECT repeat('x', 990) FROM generate_series(1, 15000)")
        assert grower.look().is_locked


def test_one_that_grows_little_by_little_is_shut_too(grower: Grower) -> None:
    grower.grow((LIMIT * FAR - 7_600_000) / 1e6)
    grew = 0
    while not (row := grower.look()).is_locked:
        grower.grow(SLACK * LIMIT / 4e6)
        grew += 1
        assert grew < 20
    assert row.size_bytes
    assert row.size_bytes < (FAR + 2 * SLACK) * LIMIT


def test_one_that_is_too_large_as_its_plan_has_become_smaller_is_not_shut(grower: Grower) -> None:
    grower.service.accounts.set_plan(grower.account.id, "premium")
    grower.grow(8)
    assert grower.look().status == "active"
    grower.service.accounts.set_plan(grower.account.id, "free")
    for _ in range(2):
        row = grower.look()
        assert (row.full, row.is_locked, grower.is_in()) == (True, False, True)


def test_a_larger_plan_opens_one_that_is_shut(grower: Grower) -> None:
    grower.grow(8)
    grower.look()
    grower.service.accounts.set_plan(grower.account.id, "premium")
    row = grower.look()
    assert (row.status, row.full, grower.is_in()) == ("active", False, True)


def test_the_end_of_a_suspension_opens_none_that_is_shut_and_the_other_way_round(grower: Grower) -> None:
    grower.grow(8)
    grower.look()
    accounts = grower.service.accounts
    accounts.suspend(grower.account.id)
    until(lambda: not disobedient(grower.service.database, grower.account.id))
    accounts.clear(grower.account.id)
    until(lambda: not disobedient(grower.service.database, grower.account.id))
    assert not grower.is_in()
    accounts.suspend(grower.account.id)
    assert grower.wait(SHUT).status == "disabled"
    assert not grower.is_in()
    accounts.clear(grower.account.id)
    until(grower.is_in)


def test_what_is_noted_late_hides_no_shutting(grower: Grower) -> None:
    before = hosted.one(grower.service.database, grower.made.row.id)
    assert before
    grower.service.leader.close()
    hosted.note_shut(grower.service.database, before, 1, 2**40)
    late = replace(before, suspensions=before.suspensions + 1)
    hosted.note_obeyed(grower.service.database, [late], {"free": 10}, 1)
    with grower.service.database.change() as change:
        hosted.note_applied(change, before, None, 10, 1)
    after = hosted.one(grower.service.database, grower.made.row.id)
    assert after
    assert (after.is_late, after.is_locked) == (True, True)


def test_one_that_is_near_its_limit_is_looked_at_often_and_a_small_one_is_not(grower: Grower) -> None:
    small = grower.service.create(grower.account)
    grower.service.database.write("UPDATE databases SET size_bytes = 1 WHERE id = ?", (small.row.id,))
    grower.grow(8)
    grower.quota.run_near()
    until(lambda: not grower.is_in())
    row = hosted.one(grower.service.database, small.row.id)
    assert row
    assert row.size_bytes == 1


def test_one_in_which_a_statement_runs_is_looked_at_often_however_small_it_was(grower: Grower) -> None:
    grower.service.database.write("UPDATE databases SET size_bytes = 1")
    grower.quota.run_near()
    assert grower.is_in()
    with grower.service.connect(grower.made) as session, ThreadPoolExecutor(1) as thread:
        running = thread.submit(session.execute, "SELECT pg_sleep(100)")
        until(lambda: grower.quota.provisioner.busy() == {grower.made.row.id})
        grower.grow(8)
        grower.quota.run_near()
        with pytest.raises(psycopg.errors.AdminShutdown):
            running.result()
    until(lambda: not grower.is_in())  # its sessions end as it becomes full, a moment before it is shut


def test_a_clock_that_was_set_back_keeps_nobody_out_for_longer(grower: Grower) -> None:
    grower.grow(8)
    grower.look()
    assert not grower.wait(-30 * 24 * 3600).is_locked
