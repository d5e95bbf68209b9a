"""A suspension of an account with many databases, and somebody in each of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg

from server.hosting.hosted import disobedient
from server.postgres.server import DatabaseServer
from tests.server.hosting.world import World
from tests.waiting import until

MANY = 30
"""The bench has a hundred, and says how long that takes; to make them takes longer than a test should."""


def test_a_suspension_locks_each_of_many_databases_and_leaves_no_session(service: World) -> None:
    account, other = service.account(), service.account("bob@example.org")
    with ThreadPoolExecutor(4) as threads, ExitStack() as sessions:
        made = list(threads.map(lambda _: service.create(account), range(MANY)))
        foreign = sessions.enter_context(service.connect(service.create(other)))
        held = [sessions.enter_context(service.connect(each)) for each in made]
        service.accounts.suspend(account.id)
        until(lambda: not disobedient(service.database, account.id))
        assert _sessions(service.server, [each.row.id for each in made]) == 0
        found = service.provisioner.found()
        assert not any(found[each.row.id].login for each in made)
        assert not any(threads.map(service.opens, made))
        assert not any(map(_is_alive, held))
        assert _is_alive(foreign)
        service.accounts.clear(account.id)
        until(lambda: not disobedient(service.database, account.id))
        assert all(threads.map(service.opens, made))


def _sessions(server: DatabaseServer, names: list[str]) -> int:
    with server.connect() as admin:
        query = "SELECT count(*) FROM pg_stat_activity WHERE usename = ANY (%s)"
        return int(admin.execute(query, [names]).fetchall()[0][0])


def _is_alive(session: psycopg.Connection[tuple[object, ...]]) -> bool:
    try:
        session.execute("SELECT 1")
    except psycopg.OperationalError:
        return False
    return True
