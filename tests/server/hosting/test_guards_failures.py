"""Failures are told and tried again, keep nobody else waiting, and are not laid at a database's door."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

import pytest

from server.control.sealing import password_of
from server.hosting.hosted import disobedient
from server.hosting.leader import PAUSE
from server.postgres.errors import EngineUnavailable
from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from tests.server.hosting.left import Left
from tests.server.hosting.network import Network
from tests.server.hosting.world import world
from tests.waiting import until


class Refusing(Provisioner):
    """One whose server lets nobody be locked."""

    def __init__(self, server: DatabaseServer) -> None:
        super().__init__(server)
        self.tried: list[float] = []
        """The times at which it was tried."""

    def lock(self, names: Sequence[str]) -> None:
        """Raises EngineUnavailable."""
        self.tried.append(time.monotonic())
        raise EngineUnavailable(f"{len(names)} cannot be locked")


class Faulty(Provisioner):
    """One with a fault of ours, which shows once."""

    def __init__(self, server: DatabaseServer) -> None:
        super().__init__(server)
        self._faults = [RuntimeError("a fault of ours")]

    def set_password(self, name: str, verifier: str, *, end_sessions: bool = False) -> None:
        """Raises RuntimeError."""
        while self._faults:
            raise self._faults.pop()
        super().set_password(name, verifier, end_sessions=end_sessions)


def misplaced(left: Left) -> None:
    sealed = left.service.keyring.seal("a password", password_of("db_of_somebody_else"))
    sql = "UPDATE databases SET next_password = ? WHERE id = ?"
    left.service.database.write(sql, (sealed, left.made.row.id))


def unknown(left: Left) -> None:
    with left.service.server.connect() as admin:
        admin.execute(f"DROP DATABASE {left.made.row.id}".encode())
        admin.execute(f"DROP ROLE {left.made.row.id}".encode())


@pytest.mark.parametrize("resist", [misplaced, unknown])
def test_one_that_resists_at_the_start_keeps_nobody_else_waiting(
    left: Left, resist: Callable[[Left], None]
) -> None:
    with world(left.data, left.service.server) as before:
        until(before.leader.leads)
        other = before.create(before.account("bob@example.org"))
    left.rotate()
    resist(left)
    leading = left.begin()
    assert leading.opens(other)
    assert leading.leader.is_well()
    until(lambda: left.row.status == "error")
    assert left.row.last_error


def test_a_fault_of_ours_is_told_and_what_it_was_about_is_done_later(
    left: Left, caplog: pytest.LogCaptureFixture
) -> None:
    left.rotate()
    with world(left.data, left.service.server, provisioner=Faulty) as leading:
        until(leading.leader.leads)
        until(lambda: left.row.applied == left.row.generation)
    told = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert [line.partition(":")[0] for line in told] == [f"Twinpress failed to settle {left.made.row.id}"]


@pytest.mark.parametrize("error", [EngineUnavailable("not yet"), RuntimeError("a fault of ours")])
def test_who_cannot_let_tenants_in_tries_again(
    tmp_path: Path, server: DatabaseServer, error: Exception
) -> None:
    failing = [error]

    def ready() -> None:
        while failing:
            raise failing.pop()

    with world(tmp_path / "data", server, ready=ready) as service:
        until(service.leader.leads)
        assert failing == []


def test_who_may_not_let_tenants_in_yet_leads_all_the_same_and_asks_again(
    tmp_path: Path, server: DatabaseServer
) -> None:
    asked, room = list[bool](), Event()

    def ready() -> bool:
        asked.append(room.is_set())
        return room.is_set()

    with world(tmp_path / "data", server, ready=ready) as service:
        until(service.leader.leads)
        service.create(service.account())
        until(lambda: len(asked) > 2)
        room.set()
        until(lambda: asked[-1])
        service.create(service.account("bob@example.org"))
        assert asked.count(True) == 1


def test_while_nobody_is_reached_no_database_is_in_error(left: Left, network: Network) -> None:
    with world(left.data, left.service.server, provisioner=lambda _: Provisioner(network)) as leading:
        until(leading.leader.leads)
        network.cut()
        left.rotate()
        with pytest.raises(EngineUnavailable):
            leading.applier.apply(left.made.row.id)
        assert (left.row.status, left.row.attempts, left.row.next_attempt_at) == ("active", 0, 0)
        network.mend()
        until(lambda: left.row.applied == left.row.generation)


def test_a_new_database_that_could_not_be_written_out_is_written_out_later(
    left: Left, network: Network
) -> None:
    with world(left.data, left.service.server, provisioner=lambda _: Provisioner(network)) as leading:
        until(leading.leader.leads)
        leading.create(left.account)
        network.cut()
        with pytest.raises(EngineUnavailable):
            leading.applier.flush()
        network.mend()
        assert leading.applier.made.is_set()
        leading.applier.flush()
        assert not leading.applier.made.is_set()


def test_what_cannot_be_locked_is_tried_again_after_a_pause_and_keeps_nobody_out(left: Left) -> None:
    refusing = Refusing(left.service.server)
    left.service.accounts.suspend(left.account.id)
    with world(left.data, left.service.server, provisioner=lambda _: refusing) as leading:
        until(leading.leader.leads)
        begun = len(refusing.tried)
        until(lambda: len(refusing.tried) >= begun + 2)
        assert refusing.tried[begun + 1] - refusing.tried[begun] >= PAUSE * 0.9
        assert leading.leader.is_well()
        assert disobedient(leading.database, left.account.id) == 1
