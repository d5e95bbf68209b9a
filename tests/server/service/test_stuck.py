"""A tenant whose session cannot be ended, as while PostgreSQL computes what it does not interrupt."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from tests.server.service.hosting import Service, connect, hosting
from tests.waiting import until

SOON = 6.0
"""Seconds, fewer than those for which the end of a session is waited for."""
LOCKS = "SELECT count(pg_advisory_lock(g)) FROM generate_series(1, 6000) g"


@contextmanager
def stuck(made: dict[str, Any]) -> Iterator[None]:
    """A session that stands still whatever it is told."""
    session = connect(made["connection_uri"])
    os.kill(session.info.backend_pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(session.info.backend_pid, signal.SIGCONT)
        session.close()


def fill(service: Service, id: str) -> None:
    """Let the database look larger than its plan allows, without taking room on the disk."""
    with service.administrator() as admin:
        row = admin.execute("SELECT oid FROM pg_database WHERE datname = %s", [id]).fetchone()
    assert row
    with (service.data / f"postgres/data/base/{row[0]}/1000000000").open("wb") as file:
        file.truncate(600 * 1024 * 1024)


def is_read_only(service: Service, id: str) -> bool:
    with service.administrator() as admin:
        row = admin.execute("SELECT rolconfig::text FROM pg_roles WHERE rolname = %s", [id]).fetchone()
    return row is not None and "default_transaction_read_only" in str(row[0])


def is_ended(session: psycopg.Connection[Any]) -> bool:
    with suppress(psycopg.Error):
        session.execute("SELECT 1")
    return session.closed


def test_who_takes_all_locks_is_ended_while_the_sessions_of_a_full_database_do_not_end(data: Path) -> None:
    with hosting(data) as service:
        full, greedy = service.client("free").create(), service.client().create()
        with stuck(full), connect(greedy["connection_uri"]) as session:
            fill(service, full["id"])
            until(lambda: is_read_only(service, full["id"]))
            session.execute(LOCKS)
            until(lambda: is_ended(session), SOON)
            assert "could not be acted upon" not in service.said, "the look at sizes goes on"
