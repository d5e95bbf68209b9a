"""Long statements of tenants are ended, but not while the operator dumps or restores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from server.engine.errors import EngineUnavailable
from server.engine.provisioning import Provisioner
from server.engine.tenant import TenantSettings
from server.hosting.reaping import LONGEST, Reaper, spare, spared
from server.hosting.service import Revealed
from tests.server.hosting.world import PATIENCE, World, until


def test_a_long_statement_is_ended_unless_its_database_is_spared(service: World) -> None:
    made = service.create(service.account())
    strict = TenantSettings(longest_statement_seconds=0)
    with closing(Provisioner(service.server, strict)) as provisioner, ThreadPoolExecutor(1) as threads:
        reaper = Reaper(service.database, provisioner, service.applier.clock)
        with spare(service.database, made.row.id):
            ended = threads.submit(_sleep, service, made)
            until(lambda: _is_active(service, made.row.id))
            reaper.run()
            assert _is_active(service, made.row.id)
        reaper.run()
        with pytest.raises(psycopg.OperationalError):
            ended.result(PATIENCE)


def test_a_look_that_has_failed_is_not_the_last_one(service: World) -> None:
    made = service.create(service.account())
    strict = TenantSettings(longest_idle_seconds=0)
    with closing(Provisioner(service.server, strict)) as provisioner, service.connect(made) as session:
        reaper = Reaper(service.database, provisioner, service.applier.clock)
        with service.server.connect() as admin, admin.transaction():
            admin.execute("LOCK TABLE pg_catalog.pg_locks IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(EngineUnavailable):
                reaper.run()
        session.execute("BEGIN")
        reaper.run()
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")


def test_a_reprieve_whose_program_has_died_ends_by_itself(service: World) -> None:
    with spare(service.database, "db_x"):
        now = service.applier.clock()
        assert spared(service.database, now) == ["db_x"]
        assert spared(service.database, now + LONGEST + 1) == []
    assert spared(service.database, now) == []


def _sleep(service: World, made: Revealed) -> None:
    with service.connect(made) as connection:
        connection.execute("SELECT pg_sleep(30)")


def _is_active(service: World, name: str) -> bool:
    with service.server.connect() as admin:
        found = admin.execute(
            "SELECT 1 FROM pg_stat_activity WHERE usename = %s AND state = 'active'", [name]
        ).fetchall()
    return bool(found)
