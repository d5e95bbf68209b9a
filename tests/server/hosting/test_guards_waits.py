"""The time for which the server is left alone with what it refuses, and the waits of a request."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event

import pytest
from msgspec.structs import replace

from server.hosting import hosted, hosting_service
from server.hosting.errors import AccountSuspended, DatabaseBusy
from server.hosting.hosted import disobedient
from server.postgres.errors import EngineError
from server.postgres.server import DatabaseServer
from tests.server.hosting.interrupted import Interrupted, interrupted
from tests.server.hosting.left import Left
from tests.server.hosting.world import World, ask, world
from tests.waiting import until

NOW = 2_000_000_000
FAR = 50
"""Seconds for which a row is left alone: longer than a test waits."""
ASKED: dict[str, Callable[[Left], object]] = {
    "rotate": lambda left: left.rotate(),
    "delete": lambda left: left.intents.delete(ask(left.account), left.made.row.id),
    "recreate": lambda left: left.intents.recreate(ask(left.account), left.made.row.id),
}


def test_what_the_server_refuses_is_asked_for_more_and_more_seldom(left: Left) -> None:
    left.rotate()
    pauses = list[int]()
    with left.without_role(), interrupted(left.service) as busy:
        fixed = replace(busy, clock=lambda: NOW)
        for _ in range(8):
            with pytest.raises(EngineError):
                fixed.apply(left.made.row.id)
            pauses.append(left.row.next_attempt_at - NOW)
            assert not left.is_unsettled(NOW + pauses[-1] - 1)
            assert left.is_unsettled(NOW + pauses[-1])
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize("asked", ASKED)
def test_what_is_asked_for_anew_does_not_wait_for_what_has_failed_before(left: Left, asked: str) -> None:
    leading = left.begin()
    hosted.note_lost(leading.database, left.made.row.id, asked == "recreate")
    late = int(leading.applier.clock()) + FAR
    leading.database.write("UPDATE databases SET attempts = 9, next_attempt_at = ?", (late,))
    ASKED[asked](left)
    until(lambda: _is_settled(left))


def test_nothing_waits_for_a_clock_that_was_set_back(left: Left) -> None:
    left.rotate()
    late = int(left.service.applier.clock()) + 3600
    left.service.database.write("UPDATE databases SET next_attempt_at = ?", (late,))
    left.begin()
    until(lambda: _is_settled(left))


def test_a_database_that_obeys_its_suspension_is_left_alone(left: Left) -> None:
    left.service.accounts.suspend(left.account.id)
    assert left.is_unsettled(NOW)
    with interrupted(left.service) as leading:
        leading.lock_and_unlock([left.row])
    assert not left.is_unsettled(NOW)


def test_a_rotation_that_is_under_way_is_made_before_a_password_is_revealed(left: Left) -> None:
    rotated = left.rotate()
    late = int(left.service.applier.clock()) + FAR
    left.service.database.write("UPDATE databases SET next_attempt_at = ?", (late,))
    leading = left.begin()
    assert left.row.applied < left.row.generation  # its time has not come, but for who asks
    revealed = leading.databases.reveal(ask(left.account), left.made.row.id)
    assert revealed.password == rotated
    assert leading.opens(revealed)


def test_no_password_of_a_suspended_account_is_revealed(service: World) -> None:
    account = service.account()
    made = service.create(account)
    service.accounts.suspend(account.id)
    with pytest.raises(AccountSuspended):
        service.databases.reveal(ask(account), made.row.id)


def test_a_rotation_whose_account_is_suspended_meanwhile_gives_no_password(left: Left) -> None:
    suspensions = list[int]()

    def suspend() -> None:
        suspensions.append(left.service.accounts.suspend(left.account.id).suspensions)

    def held_up(server: DatabaseServer) -> Interrupted:
        return Interrupted(server, suspend)

    with world(left.data, left.service.server, provisioner=held_up) as leading:
        until(leading.leader.leads)
        with pytest.raises(AccountSuspended):
            leading.databases.rotate(ask(left.account), left.made.row.id)
        assert suspensions == [1]
        until(lambda: not disobedient(leading.database, left.account.id))


def test_no_request_waits_longer_than_its_time_for_a_server_that_is_slow(
    left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting_service, "PATIENCE", 0.5)
    goes_on = Event()
    slow = partial(goes_on.wait, FAR)
    with world(
        left.data, left.service.server, provisioner=lambda server: Interrupted(server, slow)
    ) as leading:
        until(leading.leader.leads)
        for asked in (leading.databases.rotate, leading.databases.reveal):
            with pytest.raises(DatabaseBusy, match="takes longer than"):
                asked(ask(left.account), left.made.row.id)
        goes_on.set()
        until(lambda: _is_settled(left))
        monkeypatch.undo()
        assert leading.opens(leading.databases.reveal(ask(left.account), left.made.row.id))


def _is_settled(left: Left) -> bool:
    row = hosted.one(left.service.database, left.made.row.id)
    return row is None or row.applied == row.generation
