"""A history that cannot be read any more: what is raised, and how it is told from what the system refuses."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builder.errors import StorageError, TwinpressError

_MISSING = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class DamagedHistory(StorageError):
    """The repository is not what was written: a broken disk, a power cut, or another hand."""

    def __init__(self, why: str, git: Path) -> None:
        super().__init__(
            f"the history cannot be read: {why}",
            path=str(git),
            hint="`twinpress history` repairs it as far as possible; it must be able to write to this folder",
        )


class LostBytes(StorageError):
    """The bytes of a file at some time did not survive damage to the history."""

    def __init__(self) -> None:
        super().__init__(
            "some of the files of that time are lost, as the history was damaged",
            hint="restore single pages, or another revision",
        )


@contextmanager
def telling(git: Path) -> Iterator[None]:
    """Turn all that reading a damaged repository raises into Damaged; what the system refuses passes.

    Libraries that read such files raise errors of all kinds.
    """
    try:
        yield
    except _MISSING as error:
        raise DamagedHistory(f"{error.strerror}: {Path(error.filename or git).name}", git) from error
    except (OSError, TwinpressError, MemoryError):
        raise
    except Exception as error:
        traceback.clear_frames(error.__traceback__)  # they look into files that are to be closed now
        raise DamagedHistory(f"{type(error).__name__}: {error}".splitlines()[0], git) from error
