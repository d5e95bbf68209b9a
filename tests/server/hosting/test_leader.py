"""The leader makes the server obey: after a crash, a suspension, a change behind our back, and in turn."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psycopg
import pytest

from server.hosting import compare, hosted
from server.hosting.compare import Comparer
from server.hosting.errors import DatabaseBusy
from server.hosting.hosted import disobedient
from server.hosting.intents import Intents
from server.postgres.errors import EngineError
from server.postgres.server import DatabaseServer
from tests.server.hosting.world import World, ask, world
from tests.waiting import until


def test_a_suspension_locks_every_database_ends_its_sessions_and_its_end_brings_them_back(
    service: World,
) -> None:
    account, other = service.account(), service.account("bob@example.org")
    made, foreign = [service.create(account) for _ in range(3)], service.create(other)
    held = [service.connect(each) for each in made]
    service.accounts.suspend(account.id)
    assert {row.status for row in service.databases.list(account.id, 10)} == {"disabled"}
    until(lambda: not disobedient(service.database, account.id))
    for connection in held:
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    assert not any(service.opens(each) for each in made)
    assert service.opens(foreign)
    service.accounts.clear(account.id)
    until(lambda: not disobedient(service.database, account.id))
    assert all(service.opens(each) for each in made)
    assert {row.status for row in service.databases.list(account.id, 10)} == {"active"}


def test_what_was_asked_for_while_nobody_led_is_done_by_the_next(
    tmp_path: Path, server: DatabaseServer
) -> None:
    data = tmp_path / "data"
    with world(data, server) as first:
        until(first.leader.leads)
        account = first.account()
        kept, gone, suspended = (first.create(account) for _ in range(3))
        asleep = first.account("bob@example.org")
        locked = first.create(asleep)
    with world(data, server) as between:
        between.leader.close()
        intents = Intents(between.database, between.keyring, between.applier.plans, between.applier.clock)
        intents.rotate(ask(account), kept.row.id, end_sessions=False)
        intents.delete(ask(account), gone.row.id)
        created = intents.create(ask(account), "later").id
        between.accounts.suspend(asleep.id)
        assert between.opens(locked)
    with world(data, server) as second:
        until(second.leader.leads)
        assert not second.opens(kept, kept.password)
        assert second.opens(second.databases.reveal(ask(account), kept.row.id))
        assert second.opens(second.databases.reveal(ask(account), created))
        assert second.opens(suspended)
        assert not second.opens(locked)
        until(lambda: gone.row.id not in second.provisioner.found())  # nobody waits for a removal


def test_of_two_services_one_leads_the_other_is_obeyed_and_takes_over(
    tmp_path: Path, server: DatabaseServer
) -> None:
    data = tmp_path / "data"
    with world(data, server) as one:
        until(one.leader.leads)
        with world(data, server) as other:
            until(other.leader.follows)
            assert not other.leader.leads()
            account = other.account()
            made = other.create(account)
            assert other.opens(made)
            rotated = other.databases.rotate(ask(account), made.row.id)
            assert one.databases.reveal(ask(account), made.row.id).password == rotated.password
            one.leader.close()
            until(other.leader.leads)
            assert other.opens(other.databases.rotate(ask(account), made.row.id))


def test_a_lock_that_was_changed_on_the_server_is_put_right(service: World) -> None:
    account, asleep = service.account(), service.account("bob@example.org")
    made, locked = service.create(account), service.create(asleep)
    service.accounts.suspend(asleep.id)
    until(lambda: not disobedient(service.database, asleep.id))
    with service.server.connect() as admin:
        admin.execute(f"ALTER ROLE {made.row.id} NOLOGIN".encode())
        admin.execute(f"ALTER ROLE {locked.row.id} LOGIN".encode())
        admin.execute(f"ALTER DATABASE {locked.row.id} CONNECTION LIMIT 5".encode())
    Comparer(service.database, service.provisioner, service.applier.clock).run()
    until(lambda: service.opens(made) and not service.opens(locked))


@pytest.mark.parametrize("limit", [0, -1, 3])
def test_a_limit_of_connections_that_was_changed_on_the_server_is_put_right(
    service: World, limit: int
) -> None:
    awake, asleep = service.account(), service.account("bob@example.org")
    made, locked = service.create(awake), service.create(asleep)
    service.accounts.suspend(asleep.id)
    until(lambda: not disobedient(service.database, asleep.id))
    before = service.provisioner.found()
    with service.server.connect() as admin:
        for what in (f"DATABASE {made.row.id}", f"ROLE {made.row.id}", f"DATABASE {locked.row.id}"):
            admin.execute(f"ALTER {what} CONNECTION LIMIT {limit}".encode())
            Comparer(service.database, service.provisioner, service.applier.clock).run()
            # Rows that change during a look are left for the next one.
            until(lambda: not any(disobedient(service.database, one.id) for one in (awake, asleep)))
            assert service.provisioner.found() == before
    assert Comparer(service.database, service.provisioner, service.applier.clock).run().wrongly_limited == ()
    assert service.opens(made)


def test_a_database_that_is_lost_is_told_and_made_again_only_when_that_is_asked_for(service: World) -> None:
    account = service.account()
    made = service.create(account)
    with service.server.connect() as admin:
        admin.execute(f"DROP DATABASE {made.row.id} WITH (FORCE)".encode())
    comparer = Comparer(service.database, service.provisioner, service.applier.clock)
    assert comparer.run().lost == (made.row.id,)
    row = hosted.one(service.database, made.row.id)
    assert row
    assert (row.status, row.lost) == ("error", True)
    for refused in (service.databases.reveal, service.databases.rotate):
        with pytest.raises(DatabaseBusy, match="missing on the server"):
            refused(ask(account), made.row.id)
    assert not service.provisioner.found()[made.row.id].database
    intents = Intents(service.database, service.keyring, service.applier.plans, service.applier.clock)
    intents.recreate(ask(account), made.row.id)
    until(lambda: service.databases.list(account.id, 1)[0].status == "active")
    assert service.databases.reveal(ask(account), made.row.id).password == made.password
    with service.connect(made) as connection:
        assert connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        ).fetchone() == (0,)
    with pytest.raises(DatabaseBusy):
        intents.recreate(ask(account), made.row.id)


def test_what_nobody_owns_is_reported_and_left_alone(service: World) -> None:
    with service.server.connect() as admin:
        admin.execute("CREATE ROLE db_aaaaaaaaaaaaaaaa")
        try:
            seen = look(service, 1000.0)
            assert seen["db_aaaaaaaaaaaaaaaa"] == 1000
            # When it was seen first is kept, also when another one comes, and when that one goes.
            admin.execute("CREATE ROLE db_bbbbbbbbbbbbbbbb")
            assert look(service, 2000.0) == seen | {"db_bbbbbbbbbbbbbbbb": 2000}
            admin.execute("DROP ROLE db_bbbbbbbbbbbbbbbb")
            assert look(service, 3000.0) == seen
        finally:
            for name in ("db_aaaaaaaaaaaaaaaa", "db_bbbbbbbbbbbbbbbb"):
                admin.execute(f"DROP ROLE IF EXISTS {name}".encode())


def look(service: World, now: float) -> dict[str, int]:
    """Compare once at this time; gives what nobody owns, and since when."""
    Comparer(service.database, service.provisioner, lambda: now).run()
    return {each.name: each.seen_at for each in compare.known_orphans(service.database)}


def test_a_database_that_cannot_be_made_is_tried_again_and_its_error_is_kept(service: World) -> None:
    account = service.account()
    with service.server.connect() as admin:
        found = admin.execute("SELECT datname FROM pg_database WHERE datname LIKE 'twinpress%'").fetchall()
        ((template,),) = found
        admin.execute(f"ALTER DATABASE {template} RENAME TO elsewhere".encode())
        try:
            with pytest.raises(EngineError):
                service.create(account, "orders")
            (row,) = service.databases.list(account.id, 1)
            assert (row.status, row.attempts > 0) == ("creating", True)
            assert row.last_error
        finally:
            admin.execute(f"ALTER DATABASE elsewhere RENAME TO {template}".encode())
    until(lambda: service.databases.list(account.id, 1)[0].status == "active")
    assert service.opens(service.databases.reveal(ask(account), row.id))


def test_a_database_that_is_on_the_server_again_is_lost_no_more(service: World) -> None:
    account = service.account()
    made = service.create(account)
    comparer = Comparer(service.database, service.provisioner, service.applier.clock)
    with service.server.connect() as admin:
        admin.execute(f"ALTER DATABASE {made.row.id} RENAME TO elsewhere".encode())
        assert comparer.run().lost == (made.row.id,)
        assert comparer.run().lost == ()
        admin.execute(f"ALTER DATABASE elsewhere RENAME TO {made.row.id}".encode())
    assert comparer.run().back == (made.row.id,)
    assert service.opens(service.databases.reveal(ask(account), made.row.id))


def test_a_suspension_does_not_wait_for_what_has_failed_before(service: World) -> None:
    account = service.account()
    made = service.create(account)
    late = int(service.applier.clock()) + 3600
    service.database.write(
        "UPDATE databases SET generation = generation + 1, next_attempt_at = ?, attempts = 9", (late - 3550,)
    )
    service.accounts.suspend(account.id)
    until(lambda: not disobedient(service.database, account.id))
    assert not service.opens(made)


def test_one_that_cannot_be_locked_keeps_no_other_account_waiting(service: World) -> None:
    stubborn, other = service.account(), service.account("bob@example.org")
    held, free = service.create(stubborn), service.create(other)
    service.accounts.suspend(other.id)
    until(lambda: not disobedient(service.database, other.id))
    with service.connect(held) as connection:
        process = connection.info.backend_pid
        os.kill(process, signal.SIGSTOP)
        try:
            service.accounts.suspend(stubborn.id)
            time.sleep(0.2)
            service.accounts.clear(other.id)
            until(lambda: not disobedient(service.database, other.id))
            assert service.opens(free)
            service.create(service.account("eve@example.org"))
            assert service.leader.is_well()
            assert disobedient(service.database, stubborn.id)
        finally:
            os.kill(process, signal.SIGCONT)
    until(lambda: not disobedient(service.database, stubborn.id))


def test_a_lost_database_that_was_full_is_not_read_only_when_it_is_made_again(service: World) -> None:
    account = service.account()
    made = service.create(account)
    service.provisioner.set_full(made.row.id, True)
    with service.server.connect() as admin:
        admin.execute(f"DROP DATABASE {made.row.id} WITH (FORCE)".encode())
    Comparer(service.database, service.provisioner, service.applier.clock).run()
    intents = Intents(service.database, service.keyring, service.applier.plans, service.applier.clock)
    intents.recreate(ask(account), made.row.id)
    until(lambda: service.databases.list(account.id, 1)[0].status == "active")
    with service.connect(made) as connection:
        connection.execute("CREATE TABLE t (x int)")
