"""Servers with a provisioner, and tenants on them.

All that a tenant may see must be the same on our own server, whose superuser we are, and on somebody else's,
where we are an administrator with few rights.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from tests.server.postgres.clusters import DEBIAN, cluster, limited, needs_debian
from tests.server.postgres.tenants.tenant import Tenant, made


def own() -> AbstractContextManager[DatabaseServer]:
    return cluster(max_connections=60)


def debian() -> AbstractContextManager[DatabaseServer]:
    return limited(DEBIAN)


def newer() -> AbstractContextManager[DatabaseServer]:
    return limited(None, advised=True)


SERVERS = (
    own,
    pytest.param(debian, marks=needs_debian),
    # Our own programs under an administrator with the rights of Debian's: both apart are tried each time.
    pytest.param(newer, marks=pytest.mark.slow),
)


ON_OUR_OWN = {
    "test_clients.py",
    "test_locking.py",
    "test_quota.py",
    "test_session_limits.py",
    "test_spills.py",
}
"""Files whose tests on somebody else's server are for nights: they hold what tenants may use up, and how they
are stopped. What a limited administrator can do and cannot is held each time, by all the others."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is tried on somebody else's server at night alone."""
    for item in items:
        is_own = item.path.name in ON_OUR_OWN and item.path.parent == Path(__file__).parent
        case = getattr(item, "callspec", None)
        if is_own and case and case.params.get("server") is debian:
            item.add_marker("slow")


@pytest.fixture(scope="package", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[DatabaseServer]:
    """Our own server, Debian's with a limited administrator, and a newer one with such."""
    with request.param() as running:
        yield running


@pytest.fixture(scope="package")
def provisioner(server: DatabaseServer) -> Iterator[Provisioner]:
    """A provisioner that is prepared, with few sessions left over for the tests."""
    provisioner = Provisioner(server, needs_lead=False)
    provisioner.prepare()
    yield provisioner
    provisioner.close()


@pytest.fixture
def tenant(provisioner: Provisioner, server: DatabaseServer) -> Iterator[Tenant]:
    """A new tenant with five connections, dropped at the end."""
    with made(provisioner, server) as tenant:
        yield tenant


@pytest.fixture
def other(provisioner: Provisioner, server: DatabaseServer) -> Iterator[Tenant]:
    """Another one."""
    with made(provisioner, server) as tenant:
        yield tenant
