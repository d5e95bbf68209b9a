"""Neither passwords nor verifiers get to where somebody may read them."""

from __future__ import annotations

import os
import signal
import traceback

import psycopg
import pytest

from server.postgres.errors import EngineError, EngineUnavailable
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.statements import explained
from server.postgres.tenant_names import new_name, new_password
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.clusters import PASSWORD, engine
from tests.server.postgres.tenants.tenant import Tenant
from tests.server.postgres.tenants.test_locking import until


def test_our_server_s_log_holds_no_secret_and_no_message_of_a_tenant() -> None:
    with engine() as running_engine:
        server = running_engine.server
        with server.connect() as connection:
            # As careless as an operator may be.
            for setting in ("log_statement = 'all'", "log_min_error_statement = 'error'"):
                connection.execute(f"alter system set {setting}".encode())
            connection.execute("alter system set log_min_duration_statement = 0")
            connection.execute("select pg_reload_conf()")
        until(lambda: _setting(server, "log_statement") == "all")
        provisioner = Provisioner(server, needs_lead=False)
        provisioner.prepare()
        tenant = Tenant(new_name(), new_password(), server)
        verifiers = [scram_verifier(tenant.password) for _ in range(2)]
        provisioner.create(tenant.name, verifiers[0], 5)
        provisioner.set_password(tenant.name, verifiers[1], end_sessions=True)
        assert provisioner.verify(tenant.name, tenant.password)
        tenant.runs("do $$ begin raise log 'a flood of messages'; raise warning 'another flood'; end $$")
        with pytest.raises(EngineError):
            provisioner.set_password("no such role", verifiers[0])
        with provisioner._changes.session() as connection, pytest.raises(psycopg.Error):
            connection.execute(f"alter role nobody password '{verifiers[0]}' nonsense".encode())
        log = running_engine._place.log.read_text(encoding="utf-8")
        assert "select pg_catalog.set_config" in log
        for secret in (PASSWORD, tenant.password, "SCRAM-SHA-256$", *verifiers, "flood"):
            assert secret not in log
        provisioner.close()


@pytest.mark.parametrize(
    "text",
    [
        "alter role nobody password '{verifier}'",
        "alter role nobody password '{verifier}' nonsense",
        "alter role nobody password {verifier}",
        "select '{verifier}'::int",
        "do $$ begin raise exception 'it was {verifier}' using hint = '{verifier}'; end $$",
    ],
)
def test_no_error_quotes_a_verifier(provisioner: Provisioner, text: str) -> None:
    verifier = scram_verifier("x")

    def run() -> None:
        with provisioner._changes.session() as connection:
            connection.execute(text.replace("{verifier}", verifier).encode())

    with pytest.raises(EngineError) as raised:
        run()
    shown = "".join(traceback.format_exception(raised.value)) + str(raised.value)
    assert verifier not in shown
    assert verifier.rsplit("$", 1)[1] not in shown


def test_a_server_that_comes_back_is_used_again() -> None:
    with engine() as running_engine:
        provisioner = Provisioner(lambda: running_engine.server)
        lead = provisioner.leadership
        assert lead.try_lead()
        provisioner.prepare()
        name, verifier = new_name(), scram_verifier("x")
        provisioner.create(name, verifier, 2)
        found = running(ServerFiles(running_engine._place.root))
        assert found
        os.kill(found.pid, signal.SIGKILL)
        until(lambda: running(running_engine._place) is None)
        for call in (provisioner.found, lead.try_lead, lambda: provisioner.lock([name])):
            with pytest.raises(EngineUnavailable):
                call()
        assert not lead.leads()
        assert running_engine.ensure()
        running_engine.open()
        assert provisioner.found()[name].login
        with pytest.raises(EngineUnavailable, match="another service leads"):
            provisioner.create(name, verifier, 2)
        assert lead.try_lead()
        provisioner.create(name, verifier, 2)
        lead.resign()
        provisioner.close()


def test_a_lost_connection_is_worth_another_try(server: DatabaseServer) -> None:
    error = explained(psycopg.OperationalError("server closed the connection unexpectedly"), server)
    assert isinstance(error, EngineUnavailable)


def _setting(server: DatabaseServer, name: str) -> str:
    with server.connect() as connection:
        row = connection.execute("select current_setting(%s)", [name]).fetchone()
        assert row
        return str(row[0])
