"""A data folder for each test that wants one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.service.place import data_folder


@pytest.fixture
def data() -> Iterator[Path]:
    """The place of a data folder of its own."""
    with data_folder() as place:
        yield place
