"""Sorts and hashes of one tenant write a bounded amount to disk, for all its sessions together."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest

from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.tenants.tenant import Tenant

MIB = 1024 * 1024
SORT = """
begin; set local work_mem = '64kB';
declare sorted cursor for
    select repeat('x', 1000) || g from generate_series(1, %d * 1024) g order by 1 desc;
fetch 1 from sorted"""


def sort(session: psycopg.Connection, mebibytes: int) -> None:
    """Have a session keep so much, and some more, on the disk."""
    session.execute((SORT % mebibytes).encode())


def test_who_has_most_on_the_disk_is_ended_when_it_is_too_much_together(
    server: DatabaseServer, provisioner: Provisioner, tenant: Tenant, other: Tenant
) -> None:
    with (
        closing(tenant.connect()) as small,
        closing(tenant.connect()) as large,
        other.connect() as theirs,
    ):
        sort(small, 1)
        sort(large, 30)
        sort(theirs, 10)
        assert provisioner.enforce_limits(room={tenant.name: 100 * MIB, other.name: 100 * MIB}) == []
        tiny = {tenant.name: 1, other.name: 1}
        assert provisioner.enforce_limits(spare=list(tiny), room=tiny) == []
        found = provisioner.enforce_limits(room={tenant.name: 10 * MIB, other.name: 100 * MIB})
        if not server.superuser:
            assert found == [], "such an administrator may not look at these files"
            return
        assert [(one.name, one.why) for one in found] == [(tenant.name, "temporary files")]
        with pytest.raises(psycopg.OperationalError):
            large.execute("fetch 1 from sorted")
        assert small.execute("fetch 1 from sorted").fetchone()
        assert theirs.execute("fetch 1 from sorted").fetchone()
