"""A leader begins with a clean server, and one that leads no more changes nothing on it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from server.postgres.errors import EngineUnavailable
from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.tenant_names import new_name
from server.postgres.tenants.leadership import CHANGES
from server.postgres.tenants.provisioning import Provisioner
from tests.server.hosting.left import Left
from tests.server.hosting.network import Network, usurp
from tests.server.hosting.world import World, ask, world
from tests.waiting import until

DEAD = f"{CHANGES} 0123abcd"
"""The name of a session of a killed leader."""
CHANGING: dict[str, Callable[[Provisioner, str], object]] = {
    "create": lambda one, _: one.create(new_name(), scram_verifier("x"), 3),
    "set_password": lambda one, name: one.set_password(name, scram_verifier("x")),
    "set_connections": lambda one, name: one.set_connections(name, 1),
    "lock": lambda one, name: one.lock([name]),
    "unlock": lambda one, name: one.unlock({name: 1}),
    "set_full": lambda one, name: one.set_full(name, True),
    "keep_full": lambda one, name: one.keep_full(name),
    "drop": lambda one, name: one.drop(name),
    "prepare": lambda one, _: one.prepare(),
}


def test_what_a_killed_leader_has_begun_is_ended_before_tenants_are_let_in(
    tmp_path: Path, server: DatabaseServer
) -> None:
    seen = list[bool]()
    with closing(server.connect(application=DEAD)) as dead:
        with world(tmp_path / "data", server, ready=lambda: seen.append(_is_alive(dead))) as service:
            until(service.leader.leads)
        assert seen == [False]


def test_what_tenants_could_notice_is_settled_before_they_are_let_in(left: Left) -> None:
    asleep = left.service.account("bob@example.org")
    with world(left.data, left.service.server) as before:
        until(before.leader.leads)
        locked = before.create(asleep)
    left.rotate()
    left.service.accounts.suspend(asleep.id)
    seen = list[tuple[bool, bool]]()

    def ready() -> None:
        seen.append((left.service.opens(left.made), left.service.opens(locked)))

    with world(left.data, left.service.server, ready=ready) as service:
        until(service.leader.leads)
    assert seen == [(False, False)]


def test_a_leader_whose_lock_was_taken_away_finds_out_and_tells_the_server_nothing(
    tmp_path: Path, former: World, network: Network
) -> None:
    account = former.account()
    made = former.create(account)
    with world(tmp_path / "data", former.server) as other:
        usurp(former, network, other)
        assert not former.leader.leads()
        assert former.leader.is_well()
        found = other.provisioner.found()
        for change in CHANGING.values():
            with pytest.raises(EngineUnavailable):
                change(former.provisioner, made.row.id)
        assert other.provisioner.found() == found
        assert former.opens(made)
        assert other.leader.leads()
        # It asks the new leader, as every follower does.
        assert former.opens(former.databases.rotate(ask(account), made.row.id))
    until(former.leader.leads)
    assert former.opens(former.databases.rotate(ask(account), made.row.id))


def test_who_leads_again_ends_what_was_begun_meanwhile(
    tmp_path: Path, former: World, network: Network
) -> None:
    with world(tmp_path / "data", former.server) as other:
        usurp(former, network, other)
        dead = former.server.connect(application=DEAD)
    with closing(dead):
        until(former.leader.leads)
        assert not _is_alive(dead)


def test_a_tenant_that_calls_its_sessions_like_those_of_a_leader_is_left_alone(left: Left) -> None:
    with left.service.connect(left.made) as session:
        session.execute(f"SET application_name = '{DEAD}'")
        left.begin()
        assert session.execute("SELECT 1").fetchone() == (1,)


def _is_alive(session: psycopg.Connection[tuple[object, ...]]) -> bool:
    try:
        session.execute("SELECT 1")
    except psycopg.OperationalError:
        return False
    return True
