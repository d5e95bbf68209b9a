"""The table of locks is one for all tenants: who fills it is ended, and everybody else goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import psycopg
import pytest

from server.hosting.enforce_session_limits import SessionLimits
from server.hosting.threads import Chore, Chores
from tests.server.hosting.world import World, ask
from tests.waiting import until

SESSION = "SELECT count(pg_advisory_lock(g)) FROM generate_series(1, 200000) g"
TRANSACTION = "SELECT count(pg_advisory_xact_lock(g)) FROM generate_series(1, 200000) g"
TO_THE_LAST = """
DO $$ BEGIN
    FOR g IN 1..200000 LOOP
        BEGIN PERFORM pg_advisory_xact_lock(g); EXCEPTION WHEN out_of_memory THEN EXIT; END;
    END LOOP;
END $$"""
ONE_MORE = ["SAVEPOINT s", "SELECT pg_advisory_xact_lock(0)", "ROLLBACK TO s"]
ATTACKS = {
    "locks of a session, which outlive the failure": [SESSION],
    "locks of a transaction, again and again": ["BEGIN", TRANSACTION, "ROLLBACK"],
    "locks of a transaction that survives the failure": ["BEGIN", TO_THE_LAST, *ONE_MORE],
}


@pytest.fixture
def chores(service: World) -> Iterator[Chores]:
    """Look at the locks of tenants once this is started; it is at hand, as it always is."""
    limits = SessionLimits(
        service.database, service.provisioner, service.applier.plans, service.applier.clock
    )
    limits.run()
    with closing(Chores([[Chore("looking at locks", 0.2, limits.run)]], service.leader.leads)) as chores:
        yield chores


@pytest.mark.parametrize("attack", ATTACKS)
def test_who_fills_the_table_of_locks_is_ended_and_neighbours_and_the_service_go_on(
    service: World, chores: Chores, attack: str
) -> None:
    account = service.account("bob@example.org")
    culprit, neighbour = service.create(service.account()), service.create(account)
    with service.connect(culprit) as greedy, service.connect(neighbour) as theirs:
        assert "53200" in _outcomes(greedy, ATTACKS[attack])
        chores.start()
        until(lambda: _outcomes(greedy, ATTACKS[attack]) != [] and greedy.closed)
        assert theirs.execute("SELECT 1").fetchone() == (1,)
    assert service.leader.leads()
    assert service.opens(service.databases.rotate(ask(account), neighbour.row.id))
    assert service.opens(service.create(account))
    assert service.opens(culprit)


def _outcomes(session: psycopg.Connection[Any], statements: Sequence[str]) -> list[str | None]:
    """The SQLSTATEs with which statements failed; 53200 where the table was full."""
    failed = list[str | None]()
    for each in statements:
        try:
            session.execute(each.encode())
        except psycopg.Error as error:
            failed.append(error.sqlstate)
    return failed
