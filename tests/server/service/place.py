"""A place for the data of a service, and the processes of the PostgreSQL in it."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.memory import new_folder
from tests.waiting import until


@contextmanager
def data_folder() -> Iterator[Path]:
    """A place for a data folder; no PostgreSQL is left in it at the end."""
    folder = new_folder("tp-host-")  # root's PostgreSQL runs as another user
    data = folder / "data"
    try:
        yield data
    finally:
        if found := postmaster(data):
            with suppress(ProcessLookupError):
                os.kill(found, signal.SIGQUIT)
            until(lambda: postmaster(data) is None)
        shutil.rmtree(folder)


def postmaster(data: Path) -> int | None:
    """The process of the PostgreSQL on a data folder, if one runs."""
    with suppress(OSError, ValueError, IndexError):
        found = int((data / "postgres/data/postmaster.pid").read_text().splitlines()[0])
        os.kill(found, 0)
        return found
    return None


def processes_of(postmaster: int) -> list[int]:
    """PostgreSQL's first process and all that it has started."""
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    return [postmaster, *map(int, children)]
