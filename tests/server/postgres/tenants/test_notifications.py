"""The queue of notifications is one for all tenants: who lets it become full is ended."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from server.postgres.run import postmaster
from server.postgres.run.server_files import ServerFiles
from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from server.postgres.tenants.session_limits import AskedToEnd
from tests.server.postgres.clusters import open_folder, quick, server_in
from tests.server.postgres.tenants.tenant import Tenant, made
from tests.server.postgres.tenants.test_locking import until

FULL = "54000"
SEND = "select pg_notify('y', repeat('a', 7900) || g) from generate_series(1, 20) g"


@pytest.fixture(scope="module")
def small() -> Iterator[DatabaseServer]:
    """A server whose queue holds half a megabyte, which takes a version from 17 on."""
    with open_folder() as folder, server_in(Path(folder) / "postgres", quick()) as engine:
        with engine.server.connect() as connection:
            connection.execute("alter system set max_notify_queue_pages = 64")
        postmaster.stop(ServerFiles(folder / "postgres"))
        engine.ensure()
        engine.open()
        yield engine.server


@pytest.fixture
def eager(small: DatabaseServer) -> Iterator[Provisioner]:
    with closing(Provisioner(small, needs_lead=False)) as provisioner:
        provisioner.prepare()
        yield provisioner


@contextmanager
def in_transaction(tenant: Tenant) -> Iterator[psycopg.Connection]:
    """A listener that began a transaction, and does nothing in it."""
    with closing(tenant.connect()) as session:
        session.execute("listen y")
        session.execute("begin")
        session.execute("select 1")
        yield session


@contextmanager
def deaf(tenant: Tenant) -> Iterator[psycopg.Connection]:
    """A listener whose client reads nothing."""
    with closing(tenant.connect()) as session:
        with socket.socket(fileno=session.fileno()) as pipe:
            pipe.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            pipe.detach()
        session.execute("listen y")
        yield session


def sent(tenant: Tenant) -> str | None:
    """Send a notification of a tenant; return the SQLSTATE that says why it could not be sent."""
    with tenant.connect() as session:
        try:
            session.execute(SEND.encode())
        except psycopg.Error as error:
            return error.sqlstate
    return None


@pytest.mark.parametrize("listen", [in_transaction, deaf])
def test_who_holds_all_notifications_back_is_ended_and_neighbours_go_on(
    small: DatabaseServer,
    eager: Provisioner,
    listen: Callable[[Tenant], AbstractContextManager[psycopg.Connection]],
) -> None:
    found = list[AskedToEnd]()
    with (
        made(eager, small) as culprit,
        made(eager, small) as neighbour,
        neighbour.connect() as theirs,
        small.connect(culprit.name) as ours,
        listen(culprit) as listener,
    ):
        ours.execute("begin")
        until(lambda: sent(culprit) == FULL)
        assert sent(neighbour) == FULL
        until(lambda: found.extend(eager.enforce_limits()) or found)
        until(lambda: eager.enforce_limits() == [] and sent(neighbour) is None)
        assert [(each.process, each.why) for each in found] == [(listener.info.backend_pid, "notifications")]
        for alive in (theirs, ours):
            assert alive.execute("select 1").fetchone() == (1,)


def test_nobody_is_ended_while_the_queue_has_room_nor_who_is_spared(
    small: DatabaseServer, eager: Provisioner
) -> None:
    with made(eager, small) as tenant, in_transaction(tenant) as listener:
        listener.execute("select pg_sleep(1.1)")
        assert sent(tenant) is None
        assert eager.enforce_limits() == []
        until(lambda: sent(tenant) == FULL)
        assert eager.enforce_limits([tenant.name]) == []
        assert [each.process for each in eager.enforce_limits()] == [listener.info.backend_pid]
        until(lambda: eager.enforce_limits() == [] and sent(tenant) is None)


def test_of_those_in_a_transaction_who_does_nothing_goes_before_who_works(
    small: DatabaseServer, eager: Provisioner
) -> None:
    with made(eager, small) as busy, made(eager, small) as idle, busy.connect() as working:
        working.execute("begin")
        with in_transaction(idle) as listener, ThreadPoolExecutor(1) as threads:
            work = threads.submit(working.execute, "select pg_sleep(4)")
            listener.execute("select pg_sleep(1.1)")
            until(lambda: sent(idle) == FULL)
            found = list[AskedToEnd]()
            until(lambda: found.extend(eager.enforce_limits()) or found)
            assert [each.process for each in found] == [listener.info.backend_pid]
            until(lambda: eager.enforce_limits() == [])
            assert work.exception() is None
