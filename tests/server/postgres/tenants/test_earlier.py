"""Logins that begin with a password that is replaced, and are finished afterwards, do not stay."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest

from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.tenants.half_open import HalfOpen
from tests.server.postgres.tenants.tenant import Tenant
from tests.waiting import until

NEW = "another-password"


@pytest.mark.parametrize("end", [False, True])
def test_a_login_with_the_old_password_that_is_finished_late_is_ended(
    provisioner: Provisioner, server: DatabaseServer, tenant: Tenant, end: bool
) -> None:
    with closing(HalfOpen(server, tenant.name, tenant.password)) as late:
        provisioner.set_password(tenant.name, scram_verifier(NEW), end_sessions=end)
        late.finish()
        until(provisioner.sweep)
        assert not late.is_in()


def test_sessions_of_before_stay_unless_they_are_to_end_and_new_ones_always(
    provisioner: Provisioner, tenant: Tenant
) -> None:
    with tenant.connect() as before:
        provisioner.set_password(tenant.name, scram_verifier(NEW))
        with tenant.connect(NEW) as after:
            assert provisioner.sweep() == 0
            assert before.execute("select 1").fetchone() == after.execute("select 1").fetchone() == (1,)
            provisioner.set_password(tenant.name, scram_verifier("a-third"), end_sessions=True)
            for ended in (before, after):
                with pytest.raises(psycopg.OperationalError):
                    ended.execute("select 1")
    with tenant.connect("a-third") as session:
        assert provisioner.sweep() == 0
        assert session.execute("select 1").fetchone() == (1,)


def test_a_login_of_before_is_let_be_when_nothing_was_replaced(
    provisioner: Provisioner, server: DatabaseServer, tenant: Tenant, other: Tenant
) -> None:
    with closing(HalfOpen(server, other.name, other.password)) as late:
        provisioner.set_password(tenant.name, scram_verifier(NEW), end_sessions=True)
        late.finish()
        assert provisioner.sweep() == 0
        assert late.is_in()
