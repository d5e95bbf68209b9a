"""Databases that are lost, deleted, suspended or not made yet, and what is asked of them all the same."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from server.hosting import hosted
from server.hosting.errors import DatabaseBusy
from server.hosting.hosted import disobedient
from server.hosting.hosting_service import Revealed
from server.postgres.tenants.provisioning import Provisioner
from tests.server.hosting.interrupted import interrupted
from tests.server.hosting.left import Left
from tests.server.hosting.world import ask, world
from tests.waiting import PATIENCE, until


class Meeting(Provisioner):
    """One before whose first look at a password a rotation is made, as another request may do."""

    def __init__(self, left: Left) -> None:
        super().__init__(left.service.server)
        self._left = [left]

    def verify(self, name: str, password: str) -> bool:
        """Return whether it is the password now."""
        while self._left:
            left = self._left.pop()
            left.rotate()
            with interrupted(left.service) as other:
                other.apply(name)
        return super().verify(name, password)


def test_a_lost_database_can_be_deleted(left: Left) -> None:
    leading = left.begin()
    hosted.note_lost(leading.database, left.made.row.id, True)
    leading.databases.delete(ask(left.account), left.made.row.id)
    until(lambda: hosted.one(leading.database, left.made.row.id) is None)
    assert left.made.row.id not in leading.provisioner.found()


def test_a_lost_database_is_not_made_again_by_a_look_that_was_begun_before(left: Left) -> None:
    left.rotate()
    hosted.note_lost(left.service.database, left.made.row.id, True)
    leading = left.begin()
    leading.applier.apply(left.made.row.id)
    assert left.row.applied < left.row.generation


def test_a_deleted_database_is_not_opened_again_by_the_end_of_a_suspension(left: Left) -> None:
    accounts = left.service.accounts
    accounts.suspend(left.account.id)
    with interrupted(left.service) as leading:
        leading.lock_and_unlock([left.row])
        left.intents.delete(ask(left.account), left.made.row.id)
        accounts.clear(left.account.id)
        leading.lock_and_unlock([left.row])
    assert disobedient(left.service.database, left.account.id) == 0
    assert not left.service.opens(left.made)


def test_a_rotation_that_comes_before_a_suspension_is_obeyed_locks_and_one_before_its_end_unlocks(
    left: Left,
) -> None:
    accounts, first = left.service.accounts, left.rotate()
    accounts.suspend(left.account.id)
    with interrupted(left.service) as leading:
        leading.apply(left.made.row.id)
        assert disobedient(left.service.database, left.account.id) == 0
        assert not left.service.opens(left.made, first)
        accounts.clear(left.account.id)
        second = left.rotate()
        leading.apply(left.made.row.id)
    assert disobedient(left.service.database, left.account.id) == 0
    assert left.service.opens(left.made, second)


def test_a_database_of_an_account_that_was_suspended_before_it_is_made_is_open_at_no_time(left: Left) -> None:
    id = left.intents.create(ask(left.account), "orders").id
    made = Revealed(left.row_of(id), left.next_password(id))
    left.service.accounts.suspend(left.account.id)
    seen = list[bool]()
    with interrupted(left.service, lambda: seen.append(left.service.opens(made))) as leading:
        leading.apply(id)
    assert seen == [False]
    assert not left.service.opens(made)


def test_a_suspension_does_not_wait_for_a_removal_that_takes_long(left: Left) -> None:
    gone = left.made.row.id
    left.intents.delete(ask(left.account), gone)
    left.service.accounts.suspend(left.account.id)
    with interrupted(left.service) as leading, ThreadPoolExecutor(1) as threads, leading.row_locks.of(gone):
        threads.submit(leading.lock_and_unlock, [left.row]).result(PATIENCE)
    assert disobedient(left.service.database, left.account.id) == 0
    assert not left.service.opens(left.made)


def test_a_rotation_that_ends_no_sessions_does_not_spare_those_that_one_before_it_ends(left: Left) -> None:
    left.rotate(end_sessions=True)
    left.rotate()
    with left.service.connect(left.made) as session:
        left.begin()
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")


def test_a_database_that_is_not_made_yet_is_not_rotated(left: Left) -> None:
    id = left.intents.create(ask(left.account), "orders").id
    with pytest.raises(DatabaseBusy, match="still being created"):
        left.intents.rotate(ask(left.account), id, end_sessions=False)


def test_no_suspension_waits_for_a_database_that_is_not_made_yet(left: Left) -> None:
    left.intents.create(ask(left.account), "orders")
    left.service.accounts.suspend(left.account.id)
    with interrupted(left.service) as leading:
        assert disobedient(left.service.database, left.account.id) == 1
        leading.lock_and_unlock(hosted.every(left.service.database))
    assert disobedient(left.service.database, left.account.id) == 0


def test_a_lost_database_that_is_made_again_is_new_but_for_its_last_password(
    left: Left,
) -> None:
    rotated = left.rotate()
    left.service.database.write(
        "UPDATE databases SET lost = 1, attempts = 9, last_error = 'no', size_bytes = 1, full = 1"
    )
    left.intents.recreate(ask(left.account), left.made.row.id)
    row = left.row
    assert (row.status, row.attempts, row.last_error) == ("creating", 0, None)
    assert (row.size_bytes, row.full) == (None, False)
    leading = left.begin()
    revealed = leading.databases.reveal(ask(left.account), left.made.row.id)
    assert revealed.password == rotated
    assert leading.opens(revealed)


def test_a_reveal_that_meets_a_rotation_gives_the_new_password(left: Left) -> None:
    with world(left.data, left.service.server, provisioner=lambda _: Meeting(left)) as leading:
        until(leading.leader.leads)
        revealed = leading.databases.reveal(ask(left.account), left.made.row.id)
        assert revealed.password != left.made.password
        assert leading.opens(revealed)
