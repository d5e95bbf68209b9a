"""A control database, and an account with management keys in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.keys.management_keys import ManagementKeys
from tests.server.control.fresh_data import open_fresh
from tests.server.control.people import account


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The place of a data folder."""
    return tmp_path / "data"


@pytest.fixture
def database(data: Path) -> Iterator[ControlDatabase]:
    """The database in it."""
    with open_fresh(data) as opened:
        yield opened


@pytest.fixture
def keys(database: ControlDatabase) -> Iterator[ManagementKeys]:
    """Its management keys."""
    opened = ManagementKeys(database)
    yield opened
    opened.close()


@pytest.fixture
def owner(database: ControlDatabase) -> Account:
    """An account on the free plan."""
    return account(database)
