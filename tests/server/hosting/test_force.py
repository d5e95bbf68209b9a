"""Sessions that hear nothing are ended by force: seldom, and with what follows for their databases."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from msgspec import Struct

from server.control.accounts.account import Account
from server.control.plans import PLANS
from server.control.sqlite.saved_choice import keep
from server.databases.database_answers import record
from server.hosting import hosted, shut_database
from server.hosting.end_by_force import OF_OTHERS, PAUSE, EndByForce
from server.hosting.enforce_session_limits import SessionLimits
from server.hosting.hosted import Hosted, disobedient
from server.hosting.hosting_service import Revealed
from server.hosting.shut_database import SHUT
from server.hosting.storage import StorageQuota
from server.hosting.threads import Chore, Chores
from server.postgres.run.embedded import Engine
from server.postgres.tenants.ending_sessions import ALIKE, HOLDS_UP
from server.postgres.tenants.provisioning import Provisioner
from server.postgres.tenants.tenant_settings import TenantSettings
from tests.server.control.clock import Clock
from tests.server.hosting.unending import await_overdue, computing
from tests.server.hosting.world import World, ask, world
from tests.server.postgres.clusters import engine
from tests.waiting import until

STRICT = TenantSettings(longest_statement_seconds=1)
LOOK, GRACE = 0.7, 1.0
TOLD = "a session that computes on is ended by force"
FORCED = "ended by force, by starting PostgreSQL again"


class Scene(Struct, frozen=True):
    """A service that leads on a server of its own, and looks often."""

    service: World
    engine: Engine
    account: Account
    clock: Clock
    log: pytest.LogCaptureFixture

    def create(self) -> Revealed:
        """A database of the culprit."""
        return self.service.create(self.account)

    def row(self, made: Revealed) -> Hosted:
        """As it is now."""
        row = hosted.one(self.service.database, made.row.id)
        assert row
        return row

    def started(self) -> object:
        """Return the time at which PostgreSQL was started; asked of whatever runs."""
        with self.service.server.connect() as admin:
            return admin.execute("SELECT pg_postmaster_start_time()").fetchone()

    def said(self, text: str) -> list[str]:
        """The messages that hold a text."""
        return [each for each in self.log.messages if text in each]

    def await_overdue(self, count: int) -> None:
        with self.service.server.connect() as admin:
            await_overdue(admin, count)

    @contextmanager
    def looking(self, *, others: bool = False) -> Iterator[None]:
        """Somebody looks regularly meanwhile; on a server of somebody else's with `others`."""
        database, provisioner = self.service.database, self.service.provisioner
        end = None if others else self.engine.end_by_force
        force = EndByForce(database, provisioner, self.clock, end, GRACE)
        limits = SessionLimits(database, provisioner, PLANS, self.clock)
        chores = [Chore("limits", LOOK, limits.run), Chore("force", LOOK, force.run)]
        with closing(Chores([chores], lambda: True)) as looks:
            looks.start()
            yield

    def kill(self, session: psycopg.Connection[object]) -> None:
        """End a session as the service does, and see that the server is there again."""
        os.kill(session.info.backend_pid, signal.SIGKILL)
        until(self.engine.ensure)
        self.engine.open()


@pytest.fixture(scope="module")
def own() -> Iterator[Engine]:
    with engine() as running:
        yield running


@pytest.fixture
def scene(tmp_path: Path, own: Engine, caplog: pytest.LogCaptureFixture) -> Iterator[Scene]:
    caplog.set_level("INFO", "twinpress")

    def provisioner(server: object) -> Provisioner:
        return Provisioner(own.server, STRICT)

    with world(tmp_path / "data", own.server, provisioner=provisioner, ready=own.open) as service:
        until(service.leader.leads)
        yield Scene(service, own, service.account("eve@example.org"), Clock(), caplog)


def test_all_that_compute_on_are_ended_by_one_restart_and_what_others_have_committed_stays(
    scene: Scene,
) -> None:
    culprits, neighbour = [scene.create() for _ in range(2)], scene.service.create(scene.service.account())
    sessions = [scene.service.connect(each) for each in culprits]
    numbers = {each.info.backend_pid for each in sessions}
    with computing(*sessions):
        scene.await_overdue(2)
        with scene.service.connect(neighbour) as theirs:
            theirs.execute("CREATE TABLE t AS SELECT 7 AS x")
        with scene.looking():
            until(lambda: len(scene.said("has ended")) == 2)
    (forced,) = scene.said(FORCED)
    assert all(str(number) in forced for number in numbers)
    asked = scene.said("asked a session")
    assert len(asked) == 2, "each was asked once, and told once"
    assert scene.log.messages.index(forced) < scene.log.messages.index(scene.said("has ended")[0])
    until(lambda: scene.service.opens(neighbour))
    with scene.service.connect(neighbour) as theirs:
        assert theirs.execute("TABLE t").fetchone() == (7,)
    told = [record(scene.row(each), scene.service.server, PLANS) for each in culprits]
    assert [each.status for each in told] == ["error"] * 2
    assert all("was ended by force; nobody can log in until 20" in str(each.error) for each in told)
    assert not any(scene.service.opens(each) for each in culprits)


@pytest.mark.slow
def test_a_restart_is_put_off_and_who_is_suspended_is_the_first_to_get_one(scene: Scene) -> None:
    made = scene.create()
    keep(scene.service.database, "forced", str(int(scene.clock.now)))
    before = scene.started()
    with computing(scene.service.connect(made)):
        scene.await_overdue(1)
        with scene.looking():
            until(lambda: bool(scene.said(TOLD)))
            until(lambda: scene.row(made).shut_why == "session")
            until(lambda: not scene.service.opens(made))  # nobody else comes in meanwhile
            scene.clock.now += PAUSE
            _look_often(scene)
            assert scene.started() == before
            scene.service.accounts.suspend(scene.account.id)
            until(lambda: bool(scene.said(FORCED)))
    until(lambda: not disobedient(scene.service.database, scene.account.id))
    assert scene.started() != before


def _ends_and_is_shut(scene: Scene, made: Revealed, seconds: int) -> None:
    """A session hears nothing and is ended by force, and its database is shut for so long."""
    scene.log.clear()
    with computing(scene.service.connect(made)):
        scene.await_overdue(1)
        with scene.looking():
            until(lambda: bool(scene.said("has ended")))
    assert scene.row(made).shut_until == int(scene.clock.now) + seconds
    until(scene.service.leader.leads)


@pytest.mark.slow
def test_a_second_database_of_an_account_is_shut_for_as_long_as_the_first_would_be(scene: Scene) -> None:
    stranger = scene.service.create(scene.service.account())
    for made, seconds in ((scene.create(), SHUT), (scene.create(), 2 * SHUT), (stranger, SHUT)):
        _ends_and_is_shut(scene, made, seconds)
        scene.clock.now += OF_OTHERS


@pytest.mark.slow
def test_each_time_that_a_session_hears_nothing_its_database_is_shut_for_twice_as_long(scene: Scene) -> None:
    made = scene.create()
    quota = StorageQuota(scene.service.database, scene.service.provisioner, PLANS, scene.clock)
    for seconds in (SHUT, 2 * SHUT):
        _ends_and_is_shut(scene, made, seconds)
        scene.clock.now += seconds - 1
        quota.run()
        assert scene.row(made).is_locked, "small as it is"
        scene.clock.now += OF_OTHERS
        quota.run()
        until(lambda: scene.service.opens(made))
    row, now = scene.row(made), int(scene.clock.now)
    remembered = [shut_database.forced([row], at) for at in (now, now + shut_database.FORGOTTEN)]
    assert remembered == [2, 0]


def test_who_keeps_others_from_being_dropped_is_asked_to_end_long_before_its_limit(scene: Scene) -> None:
    culprits, going = [scene.create(), scene.create()], scene.service.create(scene.service.account())
    database, provisioner = scene.service.database, scene.service.provisioner
    force = EndByForce(database, provisioner, scene.clock, scene.engine.end_by_force, GRACE)
    sessions = [scene.service.connect(each) for each in culprits]
    with computing(*sessions), closing(Chores([[Chore("force", LOOK, force.run)]], lambda: True)) as looks:
        scene.await_overdue(2)
        looks.start()
        accounts = scene.service.accounts
        scene.service.databases.delete(ask(accounts.find("ada@example.org")), going.row.id)
        until(lambda: hosted.one(database, going.row.id) is None)
        until(lambda: len(scene.said("has ended")) == 2)
    assert "session" in {scene.row(each).shut_why for each in culprits}
    assert [each.partition("): ")[2] for each in scene.said("asked a session")] == [HOLDS_UP, ALIKE]
    assert "another database cannot be dropped" in scene.said(FORCED)[0]
    assert going.row.id not in provisioner.found()


@pytest.mark.slow
def test_who_sleeps_is_let_be_however_long_it_takes(scene: Scene) -> None:
    made = scene.create()
    before = scene.started()
    with scene.service.connect(made) as session, ExitStack() as stack:
        # As a COMMIT does on a disk that does not answer.
        os.kill(session.info.backend_pid, signal.SIGSTOP)
        stack.callback(os.kill, session.info.backend_pid, signal.SIGCONT)
        with scene.looking():
            scene.service.accounts.suspend(scene.account.id)
            until(lambda: bool(scene.said(TOLD)))
            _look_often(scene)
            assert (scene.said(FORCED), scene.said("has ended"), scene.started()) == ([], [], before)
            stack.close()
            until(lambda: not disobedient(scene.service.database, scene.account.id))
            until(lambda: bool(scene.said("has ended")))
    assert (scene.started(), scene.row(made).shut_until) == (before, None)


@pytest.mark.slow
def test_who_leads_no_more_ends_nothing_by_force(scene: Scene) -> None:
    session, before = scene.service.connect(scene.create()), scene.started()
    with computing(session):
        scene.await_overdue(1)
        scene.service.leader.close()
        with scene.looking():
            until(lambda: bool(scene.said(TOLD)))
            _look_often(scene)
        assert (scene.said(FORCED), scene.started()) == ([], before)
        scene.kill(session)


def test_on_a_server_of_somebody_else_s_nothing_is_ended_and_the_operator_is_told(scene: Scene) -> None:
    made = scene.create()
    session, before = scene.service.connect(made), scene.started()
    with computing(session):
        scene.await_overdue(1)
        with scene.looking(others=True):
            until(lambda: bool(scene.said(f"`kill -KILL {session.info.backend_pid}`")))
            _look_often(scene)
            assert len(scene.said("kill -KILL")) < 8, "now and then, not at each look"
        assert (scene.said("has ended"), scene.started(), scene.row(made).shut_until) == ([], before, None)
        scene.kill(session)


def _look_often(scene: Scene) -> None:
    """Return after some more looks than it takes to end by force."""
    force = EndByForce(scene.service.database, scene.service.provisioner, scene.clock, None, GRACE)
    looks = list[int]()

    def look() -> None:
        force.run()
        looks.append(1)

    with closing(Chores([[Chore("looks", LOOK, look)]], lambda: True)) as chores:
        chores.start()
        until(lambda: len(looks) > 8)
