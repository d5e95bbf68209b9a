"""New data of a service for tests, copied from what was made once: each migration waits for the disk."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from server.control.sqlite.data_folder import NAME, open_data, prepare_data
from server.control.sqlite.database import ControlDatabase


def open_fresh(folder: Path) -> ControlDatabase:
    """The database in a folder, as `open_data` gives it; a new one has all migrations from the beginning."""
    if not (folder / NAME).exists():
        prepare_data(folder)
        _write(folder / NAME)
    return open_data(folder)


def _write(file: Path) -> None:
    file.touch(0o600)
    file.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    """The file of a database in which nothing is but what its migrations have made."""
    with tempfile.TemporaryDirectory() as made:
        open_data(Path(made) / "data").close()
        return (Path(made) / "data" / NAME).read_bytes()
