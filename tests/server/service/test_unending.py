"""Sessions that PostgreSQL cannot interrupt, on a service as it runs: who notices, and what is said."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from server.cli.actions import admin_suspensions
from server.control.sqlite.data_folder import open_data
from server.hosting.hosted import disobedient
from server.service import obey_suspension
from server.service.host_settings import DSN
from tests.server.commands import COMMAND, environment
from tests.server.control.people import accounts
from tests.server.postgres.clusters import dsn, limited, needs_debian
from tests.server.service.hosting import connect, hosting, opens
from tests.server.service.neighbours import BASE, alive, attacked, late, owner, unending
from tests.server.service.process import Host
from tests.waiting import PATIENCE, until

SESSIONS = 30


def test_a_suspension_says_what_it_waits_for_and_what_is_left_at_the_end(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(obey_suspension, "PATIENCE", 4.0)
    monkeypatch.setattr(obey_suspension, "TELL", 1.0)
    with hosting(data) as service:
        client = service.client()
        made = client.create()
        told = list[set[int]]()
        with connect(made["connection_uri"]) as session:
            process = session.info.backend_pid
            os.kill(process, signal.SIGSTOP)
            try:
                accounts(service.database).suspend(client.account.id)
                outcome = obey_suspension.obey(
                    data,
                    service.database,
                    client.account.id,
                    "",
                    lambda left, _: told.append({each.process for each in left}),
                )
                assert not opens(made)
            finally:
                os.kill(process, signal.SIGCONT)
        until(lambda: not disobedient(service.database, client.account.id))
    assert told
    assert all(each == {process} for each in told)
    assert (outcome.state, outcome.closed, outcome.forces) == ("slow", True, True)
    assert [(each.name, each.process) for each in outcome.left] == [(made["id"], process)]
    said = admin_suspensions._slow(outcome)
    assert f"go on: process {process} of {made['id']}" in said.message
    assert "`twinpress host` ends them by force" in said.hint


@pytest.mark.slow
def test_a_suspension_returns_when_what_cannot_be_interrupted_is_gone(data: Path) -> None:
    with hosting(data) as service:
        client, neighbour = service.client(), service.client().create()
        made = client.create()
        with connect(neighbour["connection_uri"]) as session:
            session.execute("CREATE TABLE t AS SELECT 7 AS x")
        command = [COMMAND, "admin", "--data", data, "account", "suspend", client.account.email]
        with unending([made["connection_uri"]], 2) as processes:
            done = subprocess.run(
                command, stderr=subprocess.PIPE, text=True, env=environment(), check=False, timeout=PATIENCE
            )
            assert not [each for each in processes if Path(f"/proc/{each}").exists()]
        assert (done.returncode, "does not run" in done.stderr) == (0, False), done.stderr
        assert f"still open: process {processes[0]} of {made['id']}" in done.stderr
        until(lambda: opens(neighbour))
        with connect(neighbour["connection_uri"]) as session:
            assert session.execute("TABLE t").fetchone() == (7,)
        with pytest.raises(psycopg.OperationalError):
            connect(made["connection_uri"])
        until(lambda: service.said.count("has ended,") == 2)
        assert service.said.count("ended by force, by starting PostgreSQL again") == 1


@pytest.mark.slow
def test_the_next_service_ends_what_the_one_before_was_killed_over(data: Path) -> None:
    host = Host(data)
    host.start()
    with closing(open_data(data)) as database:
        culprit, neighbour = (owner(host, database, f"{each}@example.org", "free") for each in "ab")
        made, theirs = culprit.ask("POST", BASE, {}), neighbour.ask("POST", BASE, {})
        with unending([made["connection_uri"]], 2) as processes:
            accounts(database).suspend(culprit.account.id)
            host.kill()
            assert alive(processes) == processes, "PostgreSQL goes on without its service"
            host.start()
            until(lambda: not alive(processes))
        until(lambda: not disobedient(database, culprit.account.id))
        until(lambda: opens(theirs))
        assert not opens(made)
    host.stop()


@needs_debian
@pytest.mark.slow
def test_on_a_server_of_somebody_else_s_the_operator_is_told_what_ends_it(data: Path) -> None:
    with limited() as server:
        address = {DSN: dsn(server, "limited")}
        with hosting(data, "--port", "0", ready=False, **address) as service:
            until(service.is_ready)
            client = service.client()
            made = client.create()
            with unending([made["connection_uri"]], 1) as (process,):
                accounts(service.database).suspend(client.account.id)
                until(lambda: f"`kill -KILL {process}` does it" in service.said)
                assert alive([process]) == [process]
                assert "has ended" not in service.said
                assert not opens(made)
                os.kill(process, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("suspends", [True, False], ids=["suspended", "left alone"])
def test_neighbours_go_on_beside_thirty_sessions_that_never_end(data: Path, suspends: bool) -> None:
    host = Host(data)
    host.start()
    try:
        with closing(open_data(data)) as database:
            attack = attacked(host, database, SESSIONS, suspends=suspends)
    finally:
        host.stop()
    assert attack.gone < 30, "some 12 s on a machine that does nothing else"
    for what in ("create", "rotate", "suspend", "delete"):
        assert late(attack.after[what]) < 5, (what, attack.after[what])
    # A database is gone for its owner at once; the server drops it when all of its processes have answered.
    assert max(attack.after["drop"]) < 60
