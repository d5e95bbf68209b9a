"""Sessions of tenants at statements that PostgreSQL can neither interrupt nor finish."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from tests.waiting import until

UNENDING = "SELECT strpos(repeat('a', 4000000), 'b' || repeat('a', 2000000))"
"""Compares two million signs at each of two million places: an hour, in which it looks for no interrupt."""
_OVERDUE = """
SELECT count(*) FROM pg_stat_activity
WHERE state = 'active' AND query = %s AND clock_timestamp() - query_start > '1.5 s'"""


@contextmanager
def computing(*sessions: psycopg.Connection[Any]) -> Iterator[None]:
    """These sessions are at it; at the end of the block somebody must have ended them."""
    threads = [threading.Thread(target=_compute, args=[each], daemon=True) for each in sessions]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    for each in sessions:
        each.close()


def _compute(session: psycopg.Connection[Any]) -> None:
    with suppress(psycopg.Error):
        session.execute("SET statement_timeout = '1s'")
        session.execute(UNENDING)


def await_overdue(admin: psycopg.Connection[Any], count: int) -> None:
    """Wait until so many have gone on for longer than their own limit: PostgreSQL does not end them."""
    until(lambda: admin.execute(_OVERDUE, [UNENDING]).fetchone() == (count,))
