"""The comparison of the server's password with ours: by the catalog, and by a login where that is closed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from server.postgres.errors import EngineRefused, EngineUnavailable
from server.postgres.login import password_is_right
from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.statements import statement
from server.postgres.tenant_names import new_name, new_password
from server.postgres.tenants.provisioning import Provisioner
from tests.ports import free_port
from tests.server.postgres.clusters import DEBIAN, cluster, needs_debian
from tests.server.postgres.run.test_tls import certificate
from tests.server.postgres.tenants.tenant import CONNECTIONS, Tenant, made
from tests.time_bounds import in_time, quickest
from tests.waiting import PATIENCE

Verify = Callable[[str, str], bool]


@pytest.fixture(params=["as the administrator may", "by login"])
def verify(request: pytest.FixtureRequest, provisioner: Provisioner, server: DatabaseServer) -> Verify:
    """The same question, asked in both ways."""
    if request.param == "by login":
        return lambda name, password: password_is_right(server, name, password)
    return provisioner.verify


def test_a_password_is_right_or_wrong(verify: Verify, provisioner: Provisioner, tenant: Tenant) -> None:
    assert [verify(tenant.name, word) for word in (tenant.password, "x", "")] == [True, False, False]
    assert not provisioner.verify(new_name(), tenant.password)
    provisioner.set_password(tenant.name, scram_verifier("x"))
    assert [verify(tenant.name, word) for word in (tenant.password, "x")] == [False, True]


def test_a_locked_tenant_still_has_a_password(
    verify: Verify, provisioner: Provisioner, tenant: Tenant
) -> None:
    provisioner.lock([tenant.name])
    assert "not permitted to log in" in tenant.refusal()
    assert [verify(tenant.name, word) for word in (tenant.password, "x")] == [True, False]


def test_a_tenant_without_a_free_session_still_has_a_password(verify: Verify, tenant: Tenant) -> None:
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(tenant.enter())
        assert "too many connections" in tenant.refusal()
        assert [verify(tenant.name, word) for word in (tenant.password, "x")] == [True, False]


@pytest.mark.parametrize(
    ("chosen", "matches"),
    [
        ("their own", False),
        ("", False),
        ("md5a6343a68d964ca596d9752250d54bb8a", False),
        ("{same}", True),
        ("{verifier}", True),
    ],
    ids=["another", "none", "md5", "the same", "the same, with other iterations"],
)
def test_a_tenant_may_change_its_password(verify: Verify, tenant: Tenant, chosen: str, matches: bool) -> None:
    own = scram_verifier(tenant.password, iterations=1000)
    chosen = chosen.replace("{same}", tenant.password).replace("{verifier}", own)
    with tenant.connect() as session:
        session.execute(statement("alter role {} password {chosen}", tenant.name, chosen=chosen))
    with in_time(PATIENCE):
        assert verify(tenant.name, tenant.password) == matches


def test_a_verifier_that_takes_an_hour_is_not_computed(
    verify: Verify, server: DatabaseServer, tenant: Tenant
) -> None:
    if not server.superuser:
        pytest.skip("only a superuser writes it without computing it")
    slow = scram_verifier(tenant.password, iterations=1).replace("$1:", "$2000000000:")
    with server.connect() as connection:
        connection.execute("update pg_authid set rolpassword = %s where rolname = %s", [slow, tenant.name])
    with in_time(PATIENCE):
        assert not verify(tenant.name, tenant.password)


def test_a_verified_password_is_not_computed_again(provisioner: Provisioner, tenant: Tenant) -> None:
    slow = scram_verifier(tenant.password, iterations=100_000)
    with tenant.connect() as session:
        session.execute(statement("alter role {} password {slow}", tenant.name, slow=slow))

    def verify() -> None:
        assert provisioner.verify(tenant.name, tenant.password)

    first = quickest(verify, times=1)
    if not provisioner._server().superuser and provisioner._server().major == 15:
        return
    assert quickest(verify) < first / 2


@needs_debian
def test_a_login_over_tls_asks_the_same(tmp_path: Path) -> None:
    tls = certificate(tmp_path, "localhost")
    with (
        cluster(bin_dir=DEBIAN, **tls) as server,
        closing(Provisioner(server, needs_lead=False)) as provisioner,
    ):
        provisioner.prepare()
        over_tls = replace(server, sslmode="require", public_sslmode="require")
        with made(provisioner, over_tls) as tenant:
            assert tenant.runs("select ssl from pg_stat_ssl where pid = pg_backend_pid()") == [[True]]
            words = (tenant.password, "x")
            assert [password_is_right(over_tls, tenant.name, word) for word in words] == [True, False]


def test_a_server_that_is_not_there_has_no_answer() -> None:
    closed = DatabaseServer(
        host="127.0.0.1", port=free_port(), user="x", password="x", public_host="", public_port=1
    )
    with pytest.raises(EngineUnavailable):
        password_is_right(closed, new_name(), new_password())


def test_a_server_that_lets_nobody_in_has_no_answer() -> None:
    # Ours asks nobody but its tenants for a password.
    with cluster() as server, pytest.raises(EngineRefused, match=r"no pg_hba\.conf entry"):
        password_is_right(server, new_name(), "x")
