"""An operator at the command line, beside a service that has the same data open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from server.control import ControlDatabase
from server.control.errors import KeyRefused
from server.control.keys.management_keys import ManagementKeys
from server.control.sqlite.data_folder import existing_data
from tests.server.cli.admin.operator import EMAIL, Check, Run
from tests.server.commands import twinpress
from tests.server.control.people import PASSWORD


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def run(data: Path) -> Run:
    """The command with its data."""

    def command(*words: str, given: str | None = "", **extra: str) -> CompletedProcess[str]:
        return twinpress("admin", "--data", data, *words, cwd=data.parent, given=given, **extra)

    return command


@pytest.fixture
def me(run: Run) -> str:
    """An account; gives its email."""
    assert run("account", "create", EMAIL, given=f"{PASSWORD}\n").returncode == 0
    return EMAIL


@pytest.fixture
def database(data: Path, me: str) -> Iterator[ControlDatabase]:
    """Open the database as a running service has it meanwhile."""
    with existing_data(data) as opened:
        yield opened


@pytest.fixture
def check(database: ControlDatabase) -> Iterator[Check]:
    """Tell what a running service says about a key."""
    with closing(ManagementKeys(database)) as keys:

        def said(text: str) -> str:
            try:
                return keys.check(text).state
            except KeyRefused as refused:
                return type(refused).__name__

        yield said
