"""Databases as their owner sees them: made, revealed, rotated, deleted; on a real server."""

from __future__ import annotations

import psycopg
import pytest

from server.control import audit
from server.hosting.errors import (
    AccountSuspended,
    DatabaseLimitReached,
    DatabaseNotFound,
    IdempotencyKeyReused,
    InvalidName,
    NameTaken,
    PasswordOutOfSync,
)
from server.hosting.idempotency import Once
from server.postgres.scram import scram_verifier
from tests.server.hosting.world import World, ask, connect
from tests.waiting import until


def test_a_new_database_opens_with_its_password_and_with_no_other(service: World) -> None:
    made = service.create(service.account(), "orders")
    with service.connect(made) as connection:
        connection.execute("CREATE TABLE t (x int)")
        row = connection.execute("SELECT current_database(), current_user").fetchone()
    assert row == (made.row.id, made.row.id)
    assert (made.row.name, made.row.status) == ("orders", "active")
    assert not service.opens(made, "another")


def test_a_reveal_gives_the_password_that_works(service: World) -> None:
    account = service.account()
    made = service.create(account)
    assert service.databases.reveal(ask(account), made.row.id).password == made.password
    assert made.row.name == made.row.id


def test_a_rotated_password_is_dead_when_the_answer_comes(service: World) -> None:
    account = service.account()
    made = service.create(account)
    assert made.row.password_rotated_at is None
    rotated = service.databases.rotate(ask(account), made.row.id)
    assert service.opens(rotated)
    assert not service.opens(made, made.password)
    assert rotated.row.password_rotated_at is not None
    assert service.databases.reveal(ask(account), made.row.id).password == rotated.password


@pytest.mark.parametrize("end", [False, True])
def test_open_sessions_end_with_a_rotation_when_that_is_asked_for(service: World, end: bool) -> None:
    account = service.account()
    made = service.create(account)
    with service.connect(made) as connection:
        service.databases.rotate(ask(account), made.row.id, end_sessions=end)
        if end:
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        else:
            connection.execute("SELECT 1")


def test_a_password_that_the_tenant_has_changed_is_not_revealed_but_said_to_be_so(service: World) -> None:
    account = service.account()
    made = service.create(account)
    with service.connect(made) as connection:
        connection.execute(f"ALTER ROLE {made.row.id} PASSWORD '{scram_verifier('its own')}'")
    with pytest.raises(PasswordOutOfSync):
        service.databases.reveal(ask(account), made.row.id)
    rotated = service.databases.rotate(ask(account), made.row.id)
    assert service.opens(rotated)
    assert not service.opens(made, "its own")


def test_a_deleted_database_is_gone_at_once_for_its_owner_and_soon_on_the_server(service: World) -> None:
    account = service.account()
    made = service.create(account, "orders")
    service.databases.delete(ask(account), made.row.id)
    for refused in (service.databases.reveal, service.databases.rotate, service.databases.delete):
        with pytest.raises(DatabaseNotFound):
            refused(ask(account), made.row.id)
    again = service.create(account, "orders")
    until(lambda: [row.id for row in service.databases.list(account.id, 10)] == [again.row.id])
    assert made.row.id not in service.provisioner.found()


def test_nobody_sees_or_changes_the_databases_of_another_account(service: World) -> None:
    owner, other = service.account(), service.account("bob@example.org")
    made = service.create(owner)
    for refused in (service.databases.reveal, service.databases.rotate, service.databases.delete):
        with pytest.raises(DatabaseNotFound):
            refused(ask(other), made.row.id)
    assert service.databases.list(other.id, 10) == []


def test_a_name_is_taken_once_in_an_account_whatever_its_case(service: World) -> None:
    one, other = service.account(), service.account("bob@example.org")
    service.create(one, "Orders")
    service.create(other, "orders")
    with pytest.raises(NameTaken):
        service.create(one, "orders")


@pytest.mark.parametrize("name", ["", "1a", "-a", "a b", "a" * 64, "ä", "a;drop", "a\n", "a\u0000"])
def test_a_name_that_is_none_is_refused(service: World, name: str) -> None:
    with pytest.raises(InvalidName):
        service.create(service.account(), name)


def test_a_plan_has_its_number_of_databases(service: World) -> None:
    account = service.account(plan="free")
    for _ in range(3):
        service.create(account)
    with pytest.raises(DatabaseLimitReached):
        service.create(account)
    first = service.databases.list(account.id, 1)[0]
    service.databases.delete(ask(account), first.id)
    service.create(account)


def test_a_list_is_in_the_order_of_creation_and_goes_on_where_its_last_page_ended(service: World) -> None:
    account = service.account()
    made = [service.create(account).row.id for _ in range(5)]
    found, behind = list[str](), 0
    while page := service.databases.list(account.id, 2, behind):
        found += [row.id for row in page]
        behind = page[-1].number
    assert found == made


def test_a_request_that_is_sent_twice_makes_one_database(service: World) -> None:
    account, once = service.account(), Once("k", "f")
    made = service.create(account, "orders", once)
    again = service.create(account, "orders", once)
    assert (again.row.id, again.password) == (made.row.id, made.password)
    with pytest.raises(IdempotencyKeyReused):
        service.create(account, "other", Once("k", "g"))
    assert service.create(service.account("bob@example.org"), "orders", once).row.id != made.row.id


def test_a_rotation_that_is_sent_twice_is_made_once_and_its_replay_gives_what_works_now(
    service: World,
) -> None:
    account, once = service.account(), Once("k", "f")
    made = service.create(account)
    first = service.databases.rotate(ask(account, once), made.row.id)
    assert service.databases.rotate(ask(account, once), made.row.id).password == first.password
    later = service.databases.rotate(ask(account), made.row.id)
    assert service.databases.rotate(ask(account, once), made.row.id).password == later.password


def test_a_request_is_not_repeated_for_a_database_that_was_deleted_since(service: World) -> None:
    account, once = service.account(), Once("k", "f")
    made = service.create(account, once=once)
    service.databases.delete(ask(account), made.row.id)
    with pytest.raises(DatabaseNotFound):
        service.create(account, once=once)


def test_a_suspended_account_makes_and_rotates_nothing(service: World) -> None:
    account = service.account()
    made = service.create(account)
    service.accounts.suspend(account.id)
    with pytest.raises(AccountSuspended):
        service.create(account)
    with pytest.raises(AccountSuspended):
        service.databases.rotate(ask(account), made.row.id)


def test_each_creation_rotation_reveal_and_deletion_is_in_the_audit_log(service: World) -> None:
    account = service.account()
    made = service.create(account)
    service.databases.rotate(ask(account), made.row.id)
    service.databases.reveal(ask(account), made.row.id)
    service.databases.delete(ask(account), made.row.id)
    found = [each for each in audit.events(service.database, account.id) if each.subject == made.row.id]
    assert [event.action.partition(".")[2] for event in reversed(found)] == [
        "create",
        "rotate",
        "reveal",
        "delete",
    ]
    assert {(event.actor, event.subject, event.request) for event in found} == {
        ("a-key", made.row.id, "a-request")
    }


def test_no_password_is_in_clear_in_the_control_database(service: World) -> None:
    account = service.account()
    made = service.create(account)
    rotated = service.databases.rotate(ask(account), made.row.id)
    rows = service.database.read("SELECT password, next_password FROM databases")
    kept = "".join(str(value) for row in rows for value in row)
    assert made.password not in kept
    assert rotated.password not in kept


def test_a_tenant_has_as_many_connections_as_the_plan_says(service: World) -> None:
    account = service.account(plan="free")
    made = service.create(account)
    held = [service.connect(made) for _ in range(10)]
    with pytest.raises(psycopg.OperationalError, match="too many connections"):
        service.connect(made)
    service.accounts.set_plan(account.id, "premium")
    until(lambda: service.databases.list(account.id, 1)[0].connection_limit == 50)
    held.append(connect(service.server, made.row.id, made.password))
    for connection in held:
        connection.close()
