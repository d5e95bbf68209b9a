"""One service for all tests of the package; each test has an account of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.service.hosting import Client, Service, hosting
from tests.server.service.place import data_folder


@pytest.fixture(scope="package")
def service() -> Iterator[Service]:
    """The service, whose keys may ask as often as they like."""
    with data_folder() as data, hosting(data) as running:
        yield running


@pytest.fixture
def client(service: Service) -> Client:
    """A client of a new premium account."""
    return service.client()


@pytest.fixture
def data() -> Iterator[Path]:
    """The place of a data folder of its own."""
    with data_folder() as place:
        yield place
