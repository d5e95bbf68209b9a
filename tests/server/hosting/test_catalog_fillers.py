"""A tenant that fills the catalog of all with settings of its role is ended, and shut when it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest

from server.hosting import hosted
from server.hosting.catalog_fillers import CatalogFillers
from server.hosting.hosted import Hosted
from server.hosting.hosting_service import Revealed
from server.hosting.shut_database import SHUT
from server.hosting.storage import StorageQuota
from tests.server.control.clock import Clock
from tests.server.hosting.world import World
from tests.waiting import until

MOST = 4 * 1024 * 1024
FILL = """
DO $$ DECLARE v text; BEGIN
    SELECT string_agg(md5(random()::text), '') INTO v FROM generate_series(1, 30000);
    FOR i IN 1..8 LOOP EXECUTE format('ALTER ROLE CURRENT_USER SET application_name = %L', v || i); END LOOP;
END $$"""
SETTINGS = """
SELECT unnest(setconfig) FROM pg_db_role_setting JOIN pg_roles ON pg_roles.oid = setrole
WHERE rolname = %s AND octet_length(setconfig::text) > 0"""


@contextmanager
def filling(service: World, made: Revealed) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A session in whose open transaction settings of the role have grown by 8 MB and more."""
    with closing(service.connect(made)) as session:
        session.execute("BEGIN")
        session.execute(FILL)
        yield session


def is_ended(session: psycopg.Connection[tuple[object, ...]]) -> bool:
    try:
        session.execute("SELECT 1")
    except psycopg.OperationalError:
        return True
    return False


def row(service: World, made: Revealed) -> Hosted:
    found = hosted.one(service.database, made.row.id)
    assert found
    return found


def test_who_fills_the_settings_of_roles_is_ended_at_first_and_shut_then(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    account, clock = service.account(), Clock()
    culprit, neighbour = service.create(account), service.create(account)
    writers = CatalogFillers(service.database, service.provisioner, clock, MOST)
    with closing(service.connect(neighbour)) as theirs:
        theirs.execute("BEGIN; SELECT count(*) FROM pg_roles")
        writers.run()
        with filling(service, culprit) as session:
            writers.run()
            until(lambda: is_ended(session))
        assert row(service, culprit).status == "active", "once it may be innocent"
        with filling(service, culprit) as session:
            writers.run()
            until(lambda: is_ended(session))
        theirs.execute("ROLLBACK")
    assert row(service, culprit).status == "error"
    assert row(service, culprit).shut_until == int(clock.now) + SHUT
    assert row(service, neighbour).status == "active"
    until(lambda: not service.opens(culprit))
    assert "the settings of roles grow" in caplog.text
    clock.now += SHUT + 1
    StorageQuota(service.database, service.provisioner, service.applier.plans, clock).run()
    until(lambda: service.opens(culprit))


def test_settings_that_are_too_long_are_reset_and_others_stay(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    made, clock = service.create(service.account()), Clock()
    writers = CatalogFillers(service.database, service.provisioner, clock, MOST)
    with service.connect(made) as session:
        session.execute("ALTER ROLE CURRENT_USER SET statement_timeout = '2min'")
        inside = f"ALTER ROLE CURRENT_USER IN DATABASE {made.row.id} SET search_path = a, b"
        session.execute(inside.encode())
        session.execute(FILL)
        session.execute(FILL.replace("CURRENT_USER", f"CURRENT_USER IN DATABASE {made.row.id}").encode())
    writers.shorten()
    with service.connect(made) as session:
        kept = {str(each) for (each,) in session.execute(SETTINGS, [made.row.id])}
    assert {"statement_timeout=2min", "search_path=a, b"} <= kept
    assert not any(each.startswith("application_name") for each in kept)
    assert caplog.text.count("reset the setting application_name") == 2
    assert "a" * 100 not in caplog.text
    assert len(caplog.text) < 2000, "no value of a tenant is in the log"
    service.provisioner.check()


def test_nothing_is_done_while_they_are_small_or_do_not_grow(service: World) -> None:
    made, clock = service.create(service.account()), Clock()
    with closing(service.connect(made)) as session:
        session.execute("BEGIN; ALTER ROLE CURRENT_USER SET application_name = 'mine'")
        CatalogFillers(service.database, service.provisioner, clock).run()
        grown = CatalogFillers(service.database, service.provisioner, clock, 1)
        session.execute("COMMIT")
        grown.run()
        session.execute("BEGIN; ALTER ROLE CURRENT_USER SET application_name = 'other'")
        grown.run()
        session.execute("COMMIT")
        assert session.execute(SETTINGS, [made.row.id]).fetchall()
