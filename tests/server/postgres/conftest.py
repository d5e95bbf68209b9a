"""Folders that every user can come to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.postgres.clusters import open_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """A new folder, which pytest's own are closed to the server's user."""
    with open_folder() as made:
        yield made
