from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.control import ControlDatabase
from tests.server.control.fresh_data import open_fresh
from tests.server.domains.name_server import NameServers, name_servers


@pytest.fixture
def servers() -> Iterator[NameServers]:
    """A resolver, and two servers of the zone `quayside.example`; sites are at `sites.twin.example`."""
    with name_servers() as found:
        found.zone("quayside.example")
        found.zone("twin.example")
        found.put("sites.twin.example", "A", "192.0.2.40")
        yield found


@pytest.fixture
def database(tmp_path: Path) -> Iterator[ControlDatabase]:
    """A control database."""
    with open_fresh(tmp_path / "data") as opened:
        yield opened
