"""Late notes of a row that has gone on since it was read undo nothing and hide nothing."""

from __future__ import annotations

import psycopg
import pytest
from msgspec.structs import replace

from server.control.sealing.opening import source_of
from server.control.sealing.rotation import prune, rewrap, rotate
from server.hosting import hosted
from server.hosting.hosted import disobedient
from server.hosting.hosting_service import Revealed
from server.postgres.errors import EngineError
from tests.server.hosting.interrupted import interrupted
from tests.server.hosting.left import Left
from tests.server.hosting.world import ask


def test_a_former_leader_that_notes_its_rotation_late_does_not_undo_the_next_one(left: Left) -> None:
    left.rotate()
    rotated = list[Revealed]()

    def meanwhile() -> None:
        rotated.append(left.begin().databases.rotate(ask(left.account), left.made.row.id))

    with interrupted(left.service, meanwhile) as former:
        former.apply(left.made.row.id)
    revealed = left.service.databases.reveal(ask(left.account), left.made.row.id)
    assert revealed.password == rotated[0].password
    assert left.service.opens(revealed)


def test_a_rotation_that_is_asked_for_while_another_is_noted_is_made_too(left: Left) -> None:
    first, second = left.rotate(), list[str]()
    with interrupted(left.service, lambda: second.append(left.rotate())) as busy:
        busy.apply(left.made.row.id)
    leading = left.begin()
    revealed = leading.databases.reveal(ask(left.account), left.made.row.id)
    assert revealed.password == second[0] != first
    assert leading.opens(revealed)
    assert not leading.opens(revealed, first)


def test_sessions_that_a_later_rotation_is_to_end_are_not_forgotten_by_an_earlier_one(left: Left) -> None:
    left.rotate()
    with left.service.connect(left.made) as session:
        with interrupted(left.service, lambda: left.rotate(end_sessions=True)) as busy:
            busy.apply(left.made.row.id)
        assert session.execute("SELECT 1").fetchone() == (1,)
        left.begin().databases.reveal(ask(left.account), left.made.row.id)
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")


def test_a_former_leader_that_notes_a_suspension_late_makes_nobody_wait_for_its_end_again(
    left: Left,
) -> None:
    accounts = left.service.accounts
    accounts.suspend(left.account.id)

    def meanwhile() -> None:
        accounts.clear(left.account.id)
        leading = left.begin()
        assert leading.opens(left.made)
        leading.leader.close()

    with interrupted(left.service, meanwhile) as former:
        former.lock_and_unlock([left.row])
    assert disobedient(left.service.database, left.account.id) == 0


def test_what_was_read_before_a_suspension_opens_nothing_after_it(left: Left) -> None:
    accounts = left.service.accounts
    accounts.suspend(left.account.id)
    accounts.clear(left.account.id)
    before = left.row
    accounts.suspend(left.account.id)
    with interrupted(left.service) as leading:
        leading.lock_and_unlock([before])
    assert not left.service.opens(left.made)
    assert disobedient(left.service.database, left.account.id) == 0


def test_a_password_is_not_lost_when_its_master_key_is_replaced_while_the_server_is_told(left: Left) -> None:
    rotated, source = left.rotate(), source_of(left.data)

    def replaced() -> None:
        rotate(left.service.database, source)
        rewrap(left.service.database, left.service.keyring)
        assert prune(left.service.database, source).ids

    with interrupted(left.service, replaced) as busy:
        busy.apply(left.made.row.id)
    revealed = left.begin().databases.reveal(ask(left.account), left.made.row.id)
    assert revealed.password == rotated


def test_an_attempt_that_fails_late_delays_nothing_that_was_asked_for_since(left: Left) -> None:
    left.rotate()
    with left.without_role(), interrupted(left.service, left.rotate) as former, pytest.raises(EngineError):
        former.apply(left.made.row.id)
    row = left.row
    assert (row.status, row.attempts, row.next_attempt_at) == ("active", 0, 0)


def test_a_removal_that_is_noted_late_takes_no_row_of_which_more_was_asked_since(left: Left) -> None:
    row = left.row
    hosted.note_gone(left.service.database, replace(row, generation=row.generation - 1))
    assert left.row == row
    hosted.note_gone(left.service.database, row)
    assert hosted.one(left.service.database, row.id) is None
