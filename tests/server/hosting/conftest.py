"""One PostgreSQL for all tests of a file; each test has control data of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from tests.server.hosting.left import Left
from tests.server.hosting.network import Network
from tests.server.hosting.world import World, world
from tests.server.postgres.clusters import cluster
from tests.waiting import until


@pytest.fixture(scope="module")
def server() -> Iterator[DatabaseServer]:
    with cluster() as running:
        yield running


@pytest.fixture
def service(tmp_path: Path, server: DatabaseServer) -> Iterator[World]:
    """A service process that leads."""
    with world(tmp_path / "data", server) as made:
        until(made.leader.leads)
        yield made


@pytest.fixture
def left(tmp_path: Path, server: DatabaseServer) -> Iterator[Left]:
    data = tmp_path / "data"
    with ExitStack() as others:

        def begin() -> World:
            another = others.enter_context(world(data, server))
            until(another.leader.leads)
            return another

        service = begin()
        account = service.account()
        made = service.create(account)
        service.leader.close()
        yield Left(data, service, account, made, begin)


@pytest.fixture
def network(server: DatabaseServer) -> Network:
    return Network(server)


@pytest.fixture
def former(tmp_path: Path, server: DatabaseServer, network: Network) -> Iterator[World]:
    """A service process that leads, and whose network a test may cut."""
    with world(tmp_path / "data", server, provisioner=lambda _: Provisioner(network)) as made:
        until(made.leader.leads)
        yield made
