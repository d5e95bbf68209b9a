"""One PostgreSQL for all tests of a file; each test has control data of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.engine.server import Server
from tests.server.engine.clusters import cluster
from tests.server.hosting.world import World, until, world


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with cluster() as running:
        yield running


@pytest.fixture
def service(tmp_path: Path, server: Server) -> Iterator[World]:
    """A service process that leads."""
    with world(tmp_path / "data", server) as made:
        until(made.keeper.leads)
        yield made
