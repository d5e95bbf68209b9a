"""PostgreSQL dies under a service that runs: who comes in when it is back, and what the operator is told."""

from __future__ import annotations

import fcntl
import os
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from server.control.sqlite.data_folder import NAME
from server.hosting.hosted import disobedient
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from tests.server.commands import COMMAND, environment
from tests.server.control.people import accounts
from tests.server.service.hosting import Service, admin, connect, hosting, opens
from tests.server.service.place import postmaster
from tests.waiting import until

CLIENTS = 4


@contextmanager
def stopped(service: Service) -> Iterator[None]:
    """The service stands still: it starts nothing, and says nothing."""
    service.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        service.process.send_signal(signal.SIGCONT)


@contextmanager
def stopped_at_rest(service: Service) -> Iterator[None]:
    """The service stands still at a moment at which it keeps no other from starting the server."""
    while True:
        with stopped(service):
            if not _holds_a_lock(service.data):
                yield
                return
        time.sleep(0.01)


def _holds_a_lock(data: Path) -> bool:
    """Return whether somebody starts or stops the server, or writes into the database of accounts."""
    with (data / "postgres/turn.lock").open("rb") as turn, closing(sqlite3.connect(data / NAME)) as database:
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
            database.execute("PRAGMA busy_timeout = 0")
            database.execute("BEGIN IMMEDIATE")
        except (BlockingIOError, sqlite3.OperationalError):
            return True
        database.rollback()
    return False


@contextmanager
def knocking(made: dict[str, Any]) -> Iterator[list[float]]:
    """Clients that reconnect all the time; gives the times at which a statement of theirs has run."""
    ran: list[float] = []
    over = threading.Event()

    def knock() -> None:
        while not over.wait(0.001):
            with suppress(psycopg.Error), connect(made["connection_uri"]) as session:
                session.execute("SELECT 1")
                ran.append(time.monotonic())

    threads = [threading.Thread(target=knock) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield ran
    finally:
        over.set()
        for thread in threads:
            thread.join()


def kill_the_server(service: Service, _made: dict[str, Any]) -> None:
    found = postmaster(service.data)
    assert found
    os.kill(found, signal.SIGKILL)


def crash_a_session(_service: Service, made: dict[str, Any]) -> None:
    with suppress(psycopg.Error), connect(made["connection_uri"]) as session:
        os.kill(session.info.backend_pid, signal.SIGKILL)


@pytest.mark.parametrize("die", [kill_the_server, pytest.param(crash_a_session, marks=pytest.mark.slow)])
def test_who_is_suspended_while_postgres_is_away_never_comes_in_again(
    data: Path, die: Callable[[Service, dict[str, Any]], None]
) -> None:
    with hosting(data) as service:
        client, neighbour = service.client(), service.client().create()
        made = client.create()
        with ExitStack() as clients:
            with stopped(service):
                die(service, made)
                until(lambda: running(ServerFiles(data / "postgres")) is None)
                accounts(service.database).suspend(client.account.id)
                ran = clients.enter_context(knocking(made))
            until(lambda: not disobedient(service.database, client.account.id) and opens(neighbour))
        assert ran == []
        accounts(service.database).clear(client.account.id)
        until(lambda: opens(made))


def test_tenants_come_in_again_whoever_starts_postgres_and_whoever_leads(data: Path) -> None:
    with hosting(data) as first:
        made = first.client().create()
        with hosting(data, ready=False) as second:
            for standing in (first, second, None):
                # Who stands still while it starts or opens the server keeps all others from that.
                until(lambda: first.is_ready() and second.is_ready())
                with nullcontext() if standing is None else stopped_at_rest(standing):
                    kill_the_server(first, made)
                    until(lambda: opens(made))
            until(lambda: first.is_ready() and second.is_ready())


def test_a_suspension_waits_for_the_service_that_is_about_to_bring_postgres_back(data: Path) -> None:
    with hosting(data) as service:
        client = service.client()
        made = client.create()
        command = [COMMAND, "admin", "--data", data, "account", "suspend", client.account.email]
        with stopped(service):
            kill_the_server(service, made)
            process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
            time.sleep(4)  # longer than a service needs whose server runs
            assert process.poll() is None
        _, said = process.communicate()
        assert (process.returncode, "does not run" in said) == (0, False), said
        assert disobedient(service.database, client.account.id) == 0
    done = admin(data, "account", "clear", client.account.email)
    assert "does not run" in done.stderr, "where no service runs, none is waited for"
